"""Places are found in the environment alone and looked at without a trace."""

import errno
import os
import pwd
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.named_folders import PathRequest
from pipedoctor.collect.plan import CollectionRequest, collect_facts
from pipedoctor.collect.storage.paths import build_error_fields, list_path_requests, path
from pipedoctor.collect.symlinks import resolve_links
from pipedoctor.facts import Mount, Paths, UnreadableError
from tests.collect.storage.paths_of_a_job import ROOT, look, machine, run_as_nobody


def named(**environ: str) -> list[tuple[str, str, str]]:
    found = list_path_requests(Machine(environ=environ))
    return [(place.role, place.path, place.named_by) for place in found]


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

    assert list_path_requests(windows) == ()
    with pytest.raises(UnreadableError, match="examined on Linux and macOS only"):
        look(windows, "C:\\Temp")


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
