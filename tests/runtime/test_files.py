"""Files of the user: read, written whole, asked for; none may hold us up."""

import os
import stat
import time
from pathlib import Path

import pytest

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import files
from pipedoctor.runtime.files import FileTimeoutError


def test_a_file_is_read_up_to_a_limit(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"12345")

    assert files.load_file(str(tmp_path / "x"), 9) == b"12345"
    assert files.load_file(str(tmp_path / "x"), 3) == b"123"


def test_a_descriptor_of_our_own_is_read_here(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"12345")
    with (tmp_path / "x").open("rb") as file:
        assert files.load_file(f"/dev/fd/{file.fileno()}", 9) == b"12345"


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"^No such file or directory$"):
        files.load_file(str(tmp_path / "x"), 9)


def test_a_file_that_does_not_answer_is_given_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x")
    began = time.monotonic()

    answer = r"^no answer after [12]\.[0-9] s in open /.*/x: this path does not answer$"
    with pytest.raises(FileTimeoutError, match=answer):
        files.load_file(str(tmp_path / "x"), 9)

    assert time.monotonic() - began < 10


def test_a_new_file_has_the_mode_that_the_user_wants(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        files.store_file(str(tmp_path / "x"), b"new")
    finally:
        os.umask(mask)

    assert (tmp_path / "x").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o640


def test_a_file_that_was_there_keeps_mode_and_owner(tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.write_bytes(b"old")
    target.chmod(0o604)
    if os.geteuid() == 0:
        os.chown(target, 12345, 54321)
    before = target.stat()

    files.store_file(str(target), b"new")

    after = target.stat()
    assert target.read_bytes() == b"new"
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )
    assert os.listdir(tmp_path) == ["x"]  # noqa: PTH208


def test_a_link_that_leads_nowhere_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("x")

    files.store_file(str(tmp_path / "link"), b"new")

    assert (tmp_path / "x").read_bytes() == b"new"
    assert (tmp_path / "link").is_symlink()


def test_a_pipe_is_written_to() -> None:
    reader, writer = os.pipe()

    files.store_file(f"/dev/fd/{writer}", b"new")

    assert os.read(reader, 9) == b"new"
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("none/x", "No such file or directory"), (".", "Is a directory")],
)
def test_what_cannot_be_written_says_so(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(UnreadableError, match=f"^{reason}$"):
        files.store_file(str(tmp_path / name), b"new")


def test_a_full_device_says_so() -> None:
    with pytest.raises(UnreadableError, match=r"^No space left on device$"):
        files.store_file("/dev/full", b"new")


def test_a_name_that_is_too_long_leaves_nothing(tmp_path: Path) -> None:
    long = "x" * 255

    with pytest.raises(UnreadableError, match="File name too long"):
        files.store_file(str(tmp_path / long), b"new")

    assert os.listdir(tmp_path) == []  # noqa: PTH208


def test_missing_says_why(tmp_path: Path) -> None:
    (tmp_path / "here").touch()
    names = [str(tmp_path / name) for name in ("here", "none", "here/below", "here")]

    assert files.find_missing(names) == {
        names[1]: "No such file or directory",
        names[2]: "Not a directory",
    }
    assert files.find_missing([]) == {}
