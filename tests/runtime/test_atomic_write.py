"""A file is replaced whole or not at all, and no draft is left."""

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from pipedoctor.runtime.atomic_write import create_atomically, write_atomically

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")


def list_names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_the_content_takes_the_place_of_the_old(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"old and longer")
    write_atomically(str(tmp_path / "x"), b"new")

    assert (tmp_path / "x").read_bytes() == b"new"
    assert list_names(tmp_path) == ["x"]


@pytest.mark.parametrize(("mode", "umask", "expected"), [(0o666, 0o027, 0o640), (0o600, 0, 0o600)])
def test_the_mode_is_less_the_umask(tmp_path: Path, mode: int, umask: int, expected: int) -> None:
    before = os.umask(umask)
    try:
        write_atomically(str(tmp_path / "x"), b"", mode=mode)
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == expected


def test_the_owner_and_mode_are_set_before_it_has_its_name(tmp_path: Path) -> None:
    seen: list[bool] = []

    def prepare(descriptor: int) -> None:
        seen.append((tmp_path / "x").exists())
        os.fchmod(descriptor, 0o751)

    write_atomically(str(tmp_path / "x"), b"", prepare=prepare)

    assert seen == [False]
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o751


def test_a_draft_of_a_killed_writer_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "draft").write_bytes(b"half")
    write_atomically(str(tmp_path / "x"), b"whole", draft=str(tmp_path / "draft"))

    assert (tmp_path / "x").read_bytes() == b"whole"
    assert list_names(tmp_path) == ["x"]


def test_nobody_lays_a_link_under_the_draft(tmp_path: Path) -> None:
    (tmp_path / "victim").write_bytes(b"mine")
    (tmp_path / "draft").symlink_to(tmp_path / "victim")
    write_atomically(str(tmp_path / "x"), b"new", draft=str(tmp_path / "draft"))

    assert (tmp_path / "victim").read_bytes() == b"mine"


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_atomically(str(tmp_path / "link"), b"new")

    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"old"


def test_what_fails_leaves_the_old_and_no_draft(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"old")

    def prepare(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_atomically(str(tmp_path / "x"), b"new", prepare=prepare)

    assert (tmp_path / "x").read_bytes() == b"old"
    assert list_names(tmp_path) == ["x"]


def test_a_folder_cannot_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_atomically(str(tmp_path / "x"), b"new")

    assert list_names(tmp_path) == ["x"]


def test_a_new_file_is_whole_and_takes_nobody_s_place(tmp_path: Path) -> None:
    path = tmp_path / "x"

    assert create_atomically(str(path), b"first")
    assert not create_atomically(str(path), b"second")

    assert path.read_bytes() == b"first"
    assert list_names(tmp_path) == ["x"]


def test_a_link_to_nowhere_is_a_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "x").symlink_to(tmp_path / "elsewhere")

    assert not create_atomically(str(tmp_path / "x"), b"new")

    assert list_names(tmp_path) == ["x"]


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), KeyboardInterrupt()])
def test_nothing_is_left_where_the_name_cannot_be_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """On a file system without hard links, whose rename fails too; and after Ctrl-C."""

    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(os, "replace", fail)

    with pytest.raises(type(error)):
        create_atomically(str(tmp_path / "new"), b"new")

    assert list_names(tmp_path) == []
