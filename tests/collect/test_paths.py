"""Places are found in the environment alone and looked at without a trace."""

import errno
import os
import pwd
import subprocess
import sys
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.named_folders import PathRequest
from pipedoctor.collect.paths import build_error_fields, list_places, path
from pipedoctor.collect.plan import CollectionRequest, collect_facts
from pipedoctor.collect.symlinks import resolve_links
from pipedoctor.facts import Mount, PathFact, Paths, UnreadableError

ROOT = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"


def machine(root: Path, mountinfo: str = ROOT) -> Machine:
    process = root / "proc" / "self"
    process.mkdir(parents=True, exist_ok=True)
    (process / "mountinfo").write_text(mountinfo)
    return Machine(root=root, environ={})


def look(there: Machine, name: str, role: str = "data") -> PathFact:
    return path(there, PathRequest(role=role, path=name, named_by="test"), lambda _: None)


def named(**environ: str) -> list[tuple[str, str, str]]:
    found = list_places(Machine(environ=environ))
    return [(place.role, place.path, place.named_by) for place in found]


# Which places there are.


def test_places_of_a_bare_environment() -> None:
    assert named() == [
        ("cwd", str(Path.cwd()), "working directory"),
        ("home", "~", "passwd"),
        ("tmp", "/tmp", "default"),
        ("cache", "~/.cache", "default"),
    ]


def test_places_that_variables_name() -> None:
    environ = {
        "HOME": "/home/me/",
        "TMPDIR": "/fast/tmp",
        "TEMP": "/other",
        "SLURM_TMPDIR": "/local/42",
        "XDG_CACHE_HOME": "/c/xdg",
        "HF_HOME": "/c/hf",
        "HF_HUB_CACHE": "/c/hf",
        "TORCH_HOME": "~/torch",
        "MPLCONFIGDIR": "relative",
        "TRITON_CACHE_DIR": "",
    }

    assert named(**environ)[1:] == [
        ("home", "/home/me", "HOME"),
        ("tmp", "/fast/tmp", "TMPDIR"),
        ("scratch", "/local/42", "SLURM_TMPDIR"),
        ("scratch", "/tmp", "default"),
        ("cache", "/c/xdg", "XDG_CACHE_HOME"),
        ("cache", "/home/me/torch", "TORCH_HOME"),
        ("cache", "/c/hf", "HF_HOME, HF_HUB_CACHE"),
    ]


@pytest.mark.parametrize(
    ("environ", "tmp"),
    [
        ({"TMPDIR": "", "TEMP": "/temp", "TMP": "/t"}, ("tmp", "/temp", "TEMP")),
        ({"TMP": "/t"}, ("tmp", "/t", "TMP")),
        ({"TMPDIR": "/tmp/"}, ("tmp", "/tmp/", "TMPDIR")),
    ],
)
def test_tmpdir_as_python_finds_it(environ: dict[str, str], tmp: tuple[str, str, str]) -> None:
    assert tmp in named(**environ)


def test_tmp_itself_is_no_other_place() -> None:
    assert "scratch" not in {role for role, _, _ in named(TMPDIR="/tmp/")}


def test_relative_cache_home_is_ignored_as_the_standard_says() -> None:
    assert ("cache", "/me/.cache", "default") in named(HOME="/me", XDG_CACHE_HOME="x")


def test_home_may_be_the_root() -> None:
    found = named(HOME="/")

    assert ("home", "/", "HOME") in found
    assert ("cache", "/.cache", "default") in found


def test_home_that_only_passwd_knows() -> None:
    fact = look(Machine(environ={}), "~", "home")

    assert fact.exists
    assert fact.path == pwd.getpwuid(os.geteuid()).pw_dir


def test_user_without_a_home() -> None:
    assert run_as_nobody("print(look('~/.cache').error)") == "no such directory"


def test_no_places_on_windows(tmp_path: Path) -> None:
    windows = Machine(root=tmp_path, system="win32", environ={"TEMP": "C:\\Temp"})

    assert list_places(windows) == ()
    with pytest.raises(UnreadableError, match="examined on Linux and macOS only"):
        look(windows, "C:\\Temp")


# What one place is like.


def test_folder_in_order(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    seen = os.statvfs(tmp_path)

    fact = look(machine(tmp_path), "/data")

    assert fact.role == "data"
    assert (fact.path, fact.real, fact.named_by) == ("/data", "/data", "test")
    assert fact.exists
    assert fact.writable
    assert fact.why_not_writable == fact.error == ""
    assert fact.mount == Mount(
        point="/", fstype="ext4", source="/dev/sda1", options=("rw",), device="8:1"
    )
    assert fact.size == seen.f_blocks * seen.f_frsize
    assert fact.free is not None
    assert abs(fact.free - seen.f_bavail * seen.f_frsize) < 1 << 30
    assert fact.unlimited_inodes is (not seen.f_files)


def test_links_are_followed_inside_the_root(tmp_path: Path) -> None:
    (tmp_path / "mnt/nfs/photos").mkdir(parents=True)
    (tmp_path / "data").symlink_to("/mnt/nfs")
    nfs = "2 1 0:9 / /mnt/nfs rw - nfs4 filer:/x rw\n"

    fact = look(machine(tmp_path, ROOT + nfs), "/data/./photos/../photos")

    assert fact.real == "/mnt/nfs/photos"
    assert fact.mount is not None
    assert fact.mount.source == "filer:/x"


def test_data_that_is_not_there(tmp_path: Path) -> None:
    fact = look(machine(tmp_path), "/data/none")

    assert not fact.exists
    assert (fact.error, fact.error_code) == ("no such directory", "ENOENT")
    assert fact.mount is not None
    assert fact.writable is None


def test_data_below_a_file_is_not_there_either(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert look(machine(tmp_path), "/file/x").error == "no such directory"


def test_data_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "all.tar").touch()

    fact = look(machine(tmp_path), "/all.tar")

    assert fact.exists
    assert fact.error == ""


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


def test_disks_of_places_where_data_could_go(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    device = tmp_path / "sys/devices/pci0/nvme/nvme0/nvme0n1"
    device.mkdir(parents=True)
    links = tmp_path / "sys/dev/block"
    links.mkdir(parents=True)
    (links / "8:1").symlink_to(device)
    there = machine(tmp_path)

    assert [disk.name for disk in look(there, "/tmp", "tmp").disks] == ["nvme0n1"]
    assert [disk.name for disk in look(there, "/tmp", "scratch").disks] == ["nvme0n1"]
    assert look(there, "/tmp", "cache").disks == ()


def test_links_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("/b")
    (tmp_path / "b").symlink_to("/a")

    fact = look(machine(tmp_path), "/a")

    assert fact.error == "too many symbolic links"
    assert fact.error_code == "ELOOP"
    assert fact.mount is not None


def test_forty_links_are_fine_and_one_more_is_not(tmp_path: Path) -> None:
    (tmp_path / "0").mkdir()
    for number in range(1, 42):
        (tmp_path / str(number)).symlink_to(str(number - 1))
    there = machine(tmp_path)

    assert resolve_links(there, "/40", lambda _: None) == "/0"
    with pytest.raises(OSError, match="too many"):
        resolve_links(there, "/41", lambda _: None)


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\n")
    (tmp_path / name).mkdir()
    said: list[str] = []

    fact = path(
        machine(tmp_path),
        PathRequest(role="data", path=f"/{name}", named_by="--data"),
        said.append,
    )

    assert fact.exists
    assert fact.path == fact.real == "/\\xff\n"
    for word in said:
        word.encode()


def test_every_call_is_announced_before_it(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    said: list[str] = []
    place = PathRequest(role="data", path="/data", named_by="--data")

    path(machine(tmp_path), place, said.append)

    assert said == ["lstat /data", "stat /data", "access /data", "statvfs /data"]


@pytest.mark.parametrize(
    ("error", "words", "code"),
    [
        (OSError(errno.ENOTCONN, "Transport ..."), "Transport ...", "ENOTCONN"),
        (FileNotFoundError(errno.ENOENT, "x"), "no such directory", "ENOENT"),
        (NotADirectoryError(errno.ENOTDIR, "x"), "no such directory", "ENOTDIR"),
        (OSError("odd"), "odd", ""),
    ],
)
def test_errors_in_words(error: OSError, words: str, code: str) -> None:
    assert build_error_fields(error) == {"error": words, "error_code": code}


# Other processes.


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

    assert list_places(there)[0].path == "."
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


def run_as_nobody(script: str) -> str:
    if os.geteuid():
        pytest.skip("only root may become somebody else")
    head = """
import os
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.paths import path
from pipedoctor.collect.named_folders import PathRequest
def look(name):
    place = PathRequest(role="cache", path=name, named_by="")
    return path(Machine(environ={}), place, lambda _: None)
os.setgroups([]), os.setgid(54321), os.setuid(54321)
"""
    done = subprocess.run(
        [sys.executable, "-c", head + script], capture_output=True, check=True, cwd="/"
    )
    return done.stdout.decode().strip()


def test_user_without_rights() -> None:
    seen = run_as_nobody("f = look('/etc'); print(f.writable, f.why_not_writable)")

    assert seen == "False user 54321 may not write there"


# Oddities of real systems.


def test_working_directory_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"""if True:
    import os
    os.chdir({str(gone)!r}); os.rmdir({str(gone)!r})
    from pipedoctor.collect.machine import Machine
    from pipedoctor.collect.paths import path, list_places
    place = list_places(Machine())[0]
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


def test_the_whole_way_from_the_environment_to_facts(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    here = Machine(environ=environ)
    given = (str(tmp_path), str(tmp_path))

    facts = collect_facts(CollectionRequest(machine=here, data=given, quick=True), deadline=20)

    paths = facts.get(Paths)
    assert paths is not None
    assert len(paths.find_roles("data")) == 1
    roles = {entry.role for entry in paths.entries}
    assert roles == {"data", "cwd", "home", "tmp", "scratch", "cache"}
    assert all(entry.writable for entry in paths.find_roles("tmp", "home", "cache"))
