"""Stacks by py-spy: a stand-in that prints what it prints, and the real one where it is."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipedoctor.facts import UnreadableError
from pipedoctor.watch.stacks.frame_layout import UnknownLayoutError
from pipedoctor.watch.stacks.program_reader import ProgramReader
from pipedoctor.watch.stacks.remote_memory import TornReadError
from pipedoctor.watch.stacks.stack_reader import StackReader

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
PROGRAM = """
import threading, time

def fetch(idx, path):
    while True:
        idx * idx  # hot

threading.Thread(target=time.sleep, args=(99,), daemon=True).start()
print("ready", flush=True)
fetch(41, "x")
"""
HOT = PROGRAM.splitlines().index("        idx * idx  # hot") + 1


def write_py_spy(folder: Path, text: str) -> None:
    """A program of this name that runs this text of a shell."""
    file = folder / "py-spy"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one folder in which programs are looked for."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    return folder


def test_frames_lines_and_local_numbers(tools: Path) -> None:
    def frame(name: str, line: int, **values: str) -> dict[str, object]:
        row = [{"name": key, "repr": value} for key, value in values.items()]
        return {"name": name, "filename": "/job/train.py", "line": line, "locals": row}

    threads = [
        {"thread_id": 7, "os_thread_id": 99, "frames": [frame("pin", 3)]},
        {
            "thread_id": 8,
            "os_thread_id": os.getpid(),
            "frames": [frame("fetch", 12, idx="41", path="'x'"), frame("<module>", 20)],
        },
    ]
    write_py_spy(tools, f"cat <<'END'\n{json.dumps(threads)}\nEND")

    reader = ProgramReader(os.getpid(), (3, 9), with_locals=True)
    frames = reader.read_frames()

    names = [(f.code.path, f.code.name, reader.find_line(f)) for f in frames]
    assert names == [("/job/train.py", "fetch", 12), ("/job/train.py", "<module>", 20)]
    assert reader.read_integer(frames[0], "idx") == 41
    assert reader.read_integer(frames[0], "path") is None
    assert reader.read_integer(frames[1], "idx") is None
    assert reader.version == (3, 9)
    others = [(t.native, t.frames[0].code.name) for t in reader.other_threads or ()]
    assert others == [(99, "pin")]
    assert reader.program_cpu > 0


def test_a_sample_that_fails_says_why(tools: Path) -> None:
    write_py_spy(tools, "echo 'Error: Permission denied' >&2; exit 1")

    with pytest.raises(UnreadableError, match="py-spy: Permission denied"):
        ProgramReader(os.getpid(), (3, 9), with_locals=False)


def test_where_it_is_not_installed_the_extra_is_named(tools: Path) -> None:
    assert not list(tools.iterdir())

    with pytest.raises(UnreadableError, match=r"not installed: pipedoctor\[live\]"):
        ProgramReader(os.getpid(), (3, 9), with_locals=False)


@pytest.mark.extended
def test_the_real_one_reads_what_we_read(tmp_path: Path) -> None:
    if shutil.which("py-spy") is None:
        pytest.skip("py-spy is not installed")
    file = tmp_path / "hot.py"
    file.write_text(PROGRAM)
    with subprocess.Popen([sys.executable, file], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        theirs = ProgramReader(process.pid, sys.version_info[:2], with_locals=True)
        ours = StackReader(process.pid, Path(f"/proc/{process.pid}"))
        frames = theirs.read_frames()
        known = _read_ours(ours)
        number = theirs.read_integer(frames[0], "idx")
        threads = theirs.other_threads or ()
        process.kill()

    assert [(f.code.path, f.code.name) for f in frames] == known
    assert theirs.find_line(frames[0]) in {HOT - 1, HOT}
    assert number == 41
    assert len(threads) == 1


def _read_ours(reader: StackReader) -> list[tuple[str, str]]:
    for _ in range(100):
        time.sleep(0.01)
        try:
            return [(f.code.path, f.code.name) for f in reader.read_frames()]
        except TornReadError:
            continue
    return []


@pytest.mark.extended
def test_an_older_python_is_left_to_it(tmp_path: Path) -> None:
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    older = sorted(root.glob("3.9.*/bin/python"))
    if not older or shutil.which("py-spy") is None:
        pytest.skip("CPython 3.9 or py-spy is not installed")
    file = tmp_path / "hot.py"
    file.write_text(PROGRAM)
    with subprocess.Popen([older[0], file], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(UnknownLayoutError) as refused:
            StackReader(process.pid, Path(f"/proc/{process.pid}"))
        version = refused.value.version
        frames = ProgramReader(process.pid, version or (0, 0), with_locals=False).read_frames()
        process.kill()

    assert version == (3, 9)
    assert [f.code.name for f in frames] == ["fetch", "<module>"]
