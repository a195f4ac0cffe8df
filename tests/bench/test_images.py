"""Which images are measured: those that were named, a few of a folder, or made ones."""

import os
import stat
import struct
import sys
from pathlib import Path

import pytest

from pipedoctor.bench import images
from pipedoctor.facts import UnreadableError


def test_files_and_folders_are_read_and_what_is_wrong_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "MAX_IMAGE_BYTES", 4)
    folder = tmp_path / "photos"
    folder.mkdir()
    contents = {"a.jpg": b"1234", "b.PNG": b"12", "c.txt": b"1", "d.jpg": b""}
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    (tmp_path / "large.jpg").write_bytes(b"12345")
    (tmp_path / "none.jpg").write_bytes(b"")

    named = [str(tmp_path / "large.jpg"), str(tmp_path / "none.jpg")]
    found = images.load_images([str(folder), *named])

    # Of a folder, only images that have content; what was named is always tried.
    assert found.data == {
        str(folder / "a.jpg"): b"1234",
        str(folder / "b.PNG"): b"12",
    }
    assert found.unreadable == {
        named[0]: "larger than 0 MiB",
        named[1]: "it is empty",
    }
    assert not found.generated


def test_a_name_that_is_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")

    found = images.load_images([str(tmp_path / "pipe.jpg")])

    assert stat.S_ISFIFO((tmp_path / "pipe.jpg").stat().st_mode)
    assert list(found.unreadable) == [str(tmp_path / "pipe.jpg")]
    assert found.data == {}


def test_so_many_and_so_many_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MAX_IMAGES", 3)
    for number in range(6):
        (tmp_path / f"{number}.jpg").write_bytes(b"12")
    names = [str(tmp_path / f"{number}.jpg") for number in range(6)]

    assert list(images.load_images(names[:3]).data) == names[:3]
    assert list(images.load_images(names).data) == [names[0], names[2], names[4]]

    monkeypatch.setattr(images, "MAX_TOTAL_BYTES", 2)
    assert len(images.load_images(names).data) == 2
    monkeypatch.setattr(images, "MAX_TOTAL_BYTES", 1)
    assert len(images.load_images(names).data) == 1


def instead(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    def line(*_: object) -> list[str]:
        return [sys.executable, "-S", "-c", code]

    monkeypatch.setattr(images, "build_command", line)


def test_made_images_come_behind_their_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    data = struct.pack("<I", 3) + b"one" + struct.pack("<I", 2) + b"ab" + b"\1"
    instead(monkeypatch, f"import sys; sys.stdout.buffer.write({data!r})")

    found = images.generate_images(sys.executable, os.environ, (8, 8), 90.0)

    assert found.generated
    assert found.data == {"generated 0": b"one", "generated 1": b"ab"}


@pytest.mark.parametrize(
    ("code", "patience", "why"),
    [
        ("raise SystemExit(3)", 90.0, "can write a JPEG: pass your own images"),
        ("import time; time.sleep(60)", 0.2, "no test images: their program did not end within"),
    ],
)
def test_no_image_can_be_made(
    monkeypatch: pytest.MonkeyPatch, code: str, patience: float, why: str
) -> None:
    instead(monkeypatch, code)

    with pytest.raises(UnreadableError, match=why):
        images.generate_images(sys.executable, os.environ, (8, 8), patience)


def test_an_interpreter_that_cannot_be_started() -> None:
    with pytest.raises(UnreadableError, match="/no/python cannot be started: No such file"):
        images.generate_images("/no/python", {}, (8, 8), 90.0)
