"""Who may write where, and what cannot be seen."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.storage.paths import list_path_requests
from tests.collect.storage.paths_of_a_job import ROOT, look, machine, run_as_nobody


def test_cache_that_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()

    fact = look(machine(tmp_path), "/home/.cache/deep", "cache")

    assert not fact.exists
    assert fact.writable
    assert fact.free is not None
    assert list((tmp_path / "home").iterdir()) == []


def test_cache_below_a_file_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch(mode=0o777)
    (tmp_path / "file").chmod(0o777)

    fact = look(machine(tmp_path), "/file/cache", "cache")

    assert fact.writable is False
    assert fact.why_not_writable == "/file is not a directory"


def test_read_only_mount_refuses_root_too(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    locked = "1 0 8:1 / / ro - ext4 /dev/sda1 rw\n"

    fact = look(machine(tmp_path, locked), "/data")

    assert fact.writable is False
    assert fact.why_not_writable == "the file system is mounted read-only"


def other(root: Path, status: str) -> Machine:
    process = root / "proc" / "7"
    process.mkdir(parents=True)
    (process / "root").symlink_to(root)
    (process / "cwd").symlink_to("/job")
    (process / "mountinfo").write_text(ROOT)
    (process / "status").write_text(status)
    return Machine(root=root, pid=7, environ={})


def status(uid: int, gid: int, *groups: int) -> str:
    more = " ".join(map(str, groups))
    return f"Name:\tx\nUid:\t0\t0\t0\t{uid}\nGid:\t0\t0\t0\t{gid}\nGroups:\t{more}\n"


def test_working_directory_of_another_process(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    there = other(tmp_path, status(os.geteuid(), 0))

    assert list_path_requests(there)[0].path == "."
    fact = look(there, ".", "cwd")

    assert (fact.path, fact.exists) == ("/job", True)


@pytest.mark.parametrize(
    ("uid", "gid", "groups", "mode", "may"),
    [
        (4711, 1, (), 0o700, True),
        (4711, 1, (), 0o077, False),
        (4712, 4711, (), 0o770, True),
        (4712, 1, (5, 4711), 0o770, True),
        (4712, 4711, (), 0o707, False),
        (4712, 1, (), 0o703, True),
        (4712, 1, (), 0o702, False),
        (4712, 1, (), 0o701, False),
        (0, 0, (), 0o000, True),
    ],
)
def test_rights_of_another_user(
    tmp_path: Path, uid: int, gid: int, groups: tuple[int, ...], mode: int, may: bool
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    if os.geteuid():
        pytest.skip("only root may give files away")
    os.chown(folder, 4711, 4711)
    folder.chmod(mode)

    fact = look(other(tmp_path, status(uid, gid, *groups)), "/data", "cache")

    assert fact.writable is may
    reason = "" if may else f"user {uid} may not write there"
    assert fact.why_not_writable == reason


def test_rights_of_a_process_that_shows_none(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()

    assert look(other(tmp_path, "Name:\tx\n"), "/data").writable


def test_access_list_decides_and_nobody_reads_it(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    entries = ((1, 7, -1), (2, 7, 4712), (4, 0, -1), (16, 7, -1), (32, 0, -1))
    acl = b"\x02\x00\x00\x00" + b"".join(
        tag.to_bytes(2, "little") + bits.to_bytes(2, "little") + number
        for tag, bits, number in (
            (tag, bits, (who & 0xFFFFFFFF).to_bytes(4, "little")) for tag, bits, who in entries
        )
    )
    try:
        os.setxattr(folder, "system.posix_acl_access", acl)
    except OSError:
        pytest.skip("no access lists on this file system")

    fact = look(other(tmp_path, status(4712, 1)), "/data")

    assert fact.writable is None
    assert fact.why_not_writable == "its access list decides"


def test_user_without_rights() -> None:
    seen = run_as_nobody("f = look('/etc'); print(f.writable, f.why_not_writable)")

    assert seen == "False user 54321 may not write there"


def test_working_directory_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"""if True:
    import os
    os.chdir({str(gone)!r}); os.rmdir({str(gone)!r})
    from pipedoctor.collect.machine import Machine
    from pipedoctor.collect.storage.paths import path, list_path_requests
    place = list_path_requests(Machine())[0]
    print(place.path, path(Machine(), place, lambda _: None).error)
    """

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)

    assert done.stdout == b". no such directory\n"


class Seen:
    """What statvfs may say."""

    f_blocks, f_frsize, f_bavail, f_files, f_favail = 100, 4096, 7, 50, 3

    def __init__(self, **odd: int) -> None:
        self.__dict__.update(odd)


@pytest.mark.parametrize(
    ("seen", "fields"),
    [
        pytest.param(Seen(), (409600, 28672, 50, 3, False), id="a file system that counts all"),
        pytest.param(Seen(f_files=0, f_favail=0), (409600, 28672, None, None, True), id="btrfs"),
        pytest.param(Seen(f_favail=(1 << 64) - 1), (409600, 28672, None, None, True), id="CephFS"),
        pytest.param(Seen(f_blocks=0), (None, None, None, None, False), id="it says nothing"),
    ],
)
def test_room_that_a_file_system_reports(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seen: Seen,
    fields: tuple[object, ...],
) -> None:
    (tmp_path / "data").mkdir()

    def answer(_: Path) -> Seen:
        return seen

    monkeypatch.setattr(os, "statvfs", answer)

    fact = look(machine(tmp_path), "/data")

    assert fields == (
        *(fact.size, fact.free, fact.inodes, fact.inodes_free, fact.unlimited_inodes),
    )


def test_root_that_cannot_be_seen(tmp_path: Path) -> None:
    fact = look(Machine(root=tmp_path / "none", environ={}), "/x", "cache")

    assert fact.error == "no such directory"
