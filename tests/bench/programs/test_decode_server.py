"""The program that decodes in the examined interpreter, asked as it is asked there."""

import json
import platform
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.bench.programs import decode_server

WAYS = """
import os, signal, time

def paint(data):
    if data == b"bad":
        raise ValueError("not a picture\\nand more")
    if data == b"kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if data == b"leave":
        os._exit(7)
    if data == b"stay":
        os.closerange(3, 64)
        time.sleep(60)
    return data

def open_paint():
    print("a banner")
    return "1.2", {"decode:paint": paint}, lambda data: (2, 3, bytes(18))

def open_broken():
    raise SystemExit

LIBRARIES = {"paint": open_paint, "broken": open_broken}
"""
START = "import sys; from pipedoctor.bench.programs.decode_server import main; main(*sys.argv[1:])"


def served(tmp_path: Path, library: str, *frames: object) -> list[dict[str, Any]]:
    """Everything that it answers to these frames, until there are no more."""
    path = tmp_path / "fakes.py"
    path.write_text(WAYS)
    data = b"".join(map(framed, frames))
    done = subprocess.run(
        [sys.executable, "-c", START, str(path), library],
        input=data,
        capture_output=True,
        check=True,
    )
    return list(answers(done.stdout))


def framed(body: object) -> bytes:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return struct.pack("<I", len(raw)) + raw


def answers(data: bytes) -> Sequence[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while data:
        (size,) = struct.unpack_from("<I", data)
        found.append(json.loads(data[4 : 4 + size]))
        data = data[4 + size :]
    return found


def test_everything_that_is_asked(tmp_path: Path) -> None:
    way = {"way": "decode:paint"}
    images = [{"images": 3}, b"one", b"bad", b"three"]
    said = served(
        tmp_path,
        "paint",
        *images,
        {"do": "check", **way},
        {"do": "clock", "use": [0, 2], "passes": 3, "processes": 2, **way},
        {"do": "clock", "use": [1], "passes": 1, **way},
        {"do": "pixels", "image": 0, "most": 6, **way},
    )

    hello, checked, clocked, failed, shown = said
    ours = {"version": "1.2", "python": platform.python_version()}
    assert hello == {"ways": ["decode:paint"], **ours}
    (check,) = checked["parts"]
    assert check["failed"] == {"1": "ValueError: not a picture"}
    assert check["seconds"] >= 0
    assert [part["images"] for part in clocked["parts"]] == [6, 6]
    assert all(part["seconds"] > 0 <= part["faults"] for part in clocked["parts"])
    assert failed["parts"] == [{"error": "ValueError: not a picture"}]
    (pixels,) = shown["parts"]
    # Every third row of three rows of two pixels, as base64.
    assert pixels == {"width": 2, "height": 3, "pixels": "AAAAAAAA"}


@pytest.mark.parametrize(
    ("image", "why"),
    [
        (b"kill", "killed by SIGKILL"),
        (b"leave", "exited with code 7"),
        (b"stay", "closed its answer, and does not end"),
    ],
)
def test_a_child_that_dies_is_an_answer(tmp_path: Path, image: bytes, why: str) -> None:
    clock = {"do": "clock", "use": [0], "passes": 1, "way": "decode:paint"}
    said = served(tmp_path, "paint", {"images": 1}, image, {**clock, "processes": 2})

    assert said[1] == {"parts": [{"error": why}] * 2}


def test_a_library_that_leaves_is_an_answer(tmp_path: Path) -> None:
    assert served(tmp_path, "broken") == [{"error": "SystemExit"}]


def test_why_is_one_short_line() -> None:
    assert decode_server.format_error(ValueError("  a\nb")) == "ValueError: a"
    assert decode_server.format_error(ValueError()) == "ValueError"
    said = "cannot identify image file <_io.BytesIO object at 0x7f00>"
    assert decode_server.format_error(OSError(said)) == "OSError: cannot identify image file"
    assert len(decode_server.format_error(ValueError("x" * 999))) == 300
