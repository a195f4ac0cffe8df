"""The limits section: of a made-up machine, of a real process, of other systems."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system import inotify, users
from pipedoctor.collect.system.limits import limits
from pipedoctor.facts import Limits, Rlimit, UnreadableError

LIMITS = """\
Limit                     Soft Limit           Hard Limit           Units
Max processes             4096                 unlimited            processes
Max open files            1024                 524288               files
Max locked memory         8388608              8388608              bytes
Max address space         unlimited            unlimited            bytes
"""
STATUS = "Name:\tpython\nUid:\t{0}\t{1}\t0\t0\nCapEff:\t{2}\n"
V1 = "32 31 0:29 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"


def put(root: Path, name: str, text: str) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def person(root: Path, process: str, *, uid: int, caps: str = "0") -> None:
    put(root, f"proc/{process}/status", STATUS.format(uid, uid + 1, caps))
    put(root, f"proc/{process}/uid_map", "         0          0 4294967295\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put(tmp_path, "proc/self/limits", LIMITS)
    return tmp_path


def look(root: Path, pid: int | None = None) -> Limits:
    return limits(Machine(root=root, system="linux", pid=pid), lambda _: None)


def test_limits_of_the_process(root: Path) -> None:
    assert look(root) == Limits(
        nofile=Rlimit(soft=1024, hard=524288),
        nproc=Rlimit(soft=4096, hard=None),
        memlock=Rlimit(soft=8388608, hard=8388608),
    )


def test_of_a_running_process_its_use_counts(root: Path) -> None:
    put(root, "proc/7/limits", LIMITS.replace("1024", "2048"))
    put(root, "proc/7/maps", "one\ntwo\nthree\n")
    for name in ("0", "1", "2", "9"):
        put(root, f"proc/7/fd/{name}", "")

    seen = look(root, 7)

    assert (seen.pid, seen.nofile.soft) == (7, 2048)
    assert (seen.open_files, seen.maps) == (4, 3)


def test_of_a_process_that_nobody_may_look_into(root: Path) -> None:
    put(root, "proc/7/limits", LIMITS)

    seen = look(root, 7)

    assert (seen.open_files, seen.maps, seen.user_threads) == (None, None, None)


@pytest.mark.parametrize("text", ["", "Max cpu time  unlimited  unlimited  seconds\n"])
def test_no_such_line(root: Path, text: str) -> None:
    put(root, "proc/self/limits", text)

    with pytest.raises(UnreadableError, match="has no line 'Max open files'"):
        look(root)


def test_no_such_process(root: Path) -> None:
    with pytest.raises(UnreadableError, match="proc/9/limits: No such file"):
        look(root, 9)


def test_the_kernel(root: Path) -> None:
    for name, text in {
        "fs/nr_open": "1048576\n",
        "fs/file-nr": "680\t0\t2466170\n",
        "fs/inotify/max_user_watches": "192536\n",
        "fs/inotify/max_user_instances": "128\n",
        "kernel/threads-max": "192730\n",
        "kernel/pid_max": "32768\n",
        "vm/max_map_count": "65530\n",
        "net/ipv4/tcp_rmem": "4096\t131072\t6291456\n",
    }.items():
        put(root, f"proc/sys/{name}", text)
    put(root, "proc/loadavg", "0.18 0.38 0.31 1/96 18523\n")
    put(root, "sys/class/infiniband/mlx5_0", "")

    seen = look(root)

    assert (seen.nr_open, seen.file_max, seen.files_in_use) == (1048576, 2466170, 680)
    assert (seen.threads_max, seen.pid_max, seen.system_threads) == (192730, 32768, 96)
    assert (seen.inotify_watches, seen.inotify_instances) == (192536, 128)
    assert (seen.max_map_count, seen.tcp_receive_buffer) == (65530, 6291456)
    assert seen.rdma_devices == ("mlx5_0",)


@pytest.mark.parametrize("text", ["", "680 0", "a b c", "1 2 3 4"])
def test_an_odd_kernel_is_not_known(root: Path, text: str) -> None:
    put(root, "proc/sys/fs/file-nr", text)
    put(root, "proc/loadavg", text)

    seen = look(root)

    assert (seen.file_max, seen.files_in_use, seen.system_threads) == (None,) * 3


def test_the_group_with_the_least_room(root: Path) -> None:
    put(root, "proc/self/mountinfo", V1)
    put(root, "proc/self/cgroup", "8:pids:/slice/job\n")
    groups = root / "sys/fs/cgroup/pids"
    for group, most, now in (
        ("slice/job", "max", "5"),
        ("slice", "100", "90"),
        (".", "50", "10"),
    ):
        put(groups, f"{group}/pids.max", f"{most}\n")
        put(groups, f"{group}/pids.current", f"{now}\n")

    seen = look(root)

    assert (seen.pids_max, seen.pids_current) == (100, 90)
    assert seen.pids_source == f"{groups}/slice/pids.max"


def test_no_group_has_a_limit(root: Path) -> None:
    put(root, "proc/self/mountinfo", V1)
    put(root, "proc/self/cgroup", "8:pids:/\n")
    put(root, "sys/fs/cgroup/pids/pids.max", "max\n")

    assert look(root).pids_max is None


@pytest.mark.parametrize(
    ("uid", "caps", "userns", "passes"),
    [
        pytest.param(0, "0", "0 0 4294967295", True, id="root without might"),
        pytest.param(1000, "0", "0 0 4294967295", False, id="user"),
        pytest.param(1000, "200000", "0 0 4294967295", True, id="CAP_SYS_ADMIN"),
        pytest.param(1000, "1000000", "0 0 4294967295", True, id="CAP_SYS_RESOURCE"),
        pytest.param(1000, "400000", "0 0 4294967295", False, id="another capability"),
        pytest.param(0, "1ffffffffff", "0 1000 1", False, id="root of a user namespace"),
        pytest.param(1000, "what", "0 0 4294967295", False, id="odd capabilities"),
    ],
)
def test_who_passes_the_limit_on_processes(
    root: Path, uid: int, caps: str, userns: str, *, passes: bool
) -> None:
    person(root, "self", uid=uid, caps=caps)
    put(root, "proc/self/uid_map", userns)

    assert look(root).exempt_from_nproc is passes


@pytest.mark.parametrize(("caps", "passes"), [("4000", True), ("8000", False)])
def test_who_passes_the_limit_on_locked_memory(root: Path, caps: str, *, passes: bool) -> None:
    person(root, "self", uid=1000, caps=caps)

    assert look(root).exempt_from_memlock is passes


def test_threads_and_watches_of_the_user(root: Path) -> None:
    person(root, "self", uid=os.getuid())
    for pid, threads in ((11, 1), (12, 3)):
        for thread in range(threads):
            (root / f"proc/{pid}/task/{thread}").mkdir(parents=True)
    (root / "proc/13").mkdir()  # has ended
    (root / "proc/net").mkdir()
    (root / "proc/12/fd").mkdir()
    (root / "proc/12/fd/3").symlink_to("anon_inode:inotify")
    (root / "proc/12/fd/4").symlink_to("socket:[1]")
    (root / "proc/12/fd/5").symlink_to("anon_inode:inotify")
    put(root, "proc/12/fd/6", "")
    put(root, "proc/12/fdinfo/3", "pos:\t0\ninotify wd:2 ino:1\ninotify wd:1 ino:2\n")

    seen = look(root)

    assert seen.user_threads == 4
    assert (seen.inotify_instances_used, seen.inotify_watches_used) == (2, 2)


def test_threads_of_others_are_not_counted(root: Path) -> None:
    person(root, "self", uid=os.getuid() + 1)
    (root / "proc/11/task/11").mkdir(parents=True)

    assert look(root).user_threads == 0


def test_a_proc_that_cannot_be_listed(tmp_path: Path) -> None:
    assert users.list_user_processes(Machine(root=tmp_path), 0) == []


def test_counting_watches_gives_up_in_time() -> None:
    assert inotify.count_inotify_use(["/proc/self"], timeout=-1.0) is None


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
def test_real_watches_are_counted() -> None:
    before = inotify.count_inotify_use([f"/proc/{os.getpid()}"], timeout=5)
    assert before
    libc = ctypes.CDLL(None)
    descriptor = libc.inotify_init()
    libc.inotify_add_watch(descriptor, b"/", 2)
    after = inotify.count_inotify_use([f"/proc/{os.getpid()}"], timeout=5)
    os.close(descriptor)

    assert after == inotify.InotifyUse(instances=before.instances + 1, watches=before.watches + 1)


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
def test_limits_are_those_of_the_process_not_ours() -> None:
    sleeper = ["prlimit", "--nofile=77:99", "sleep", "60"]
    with subprocess.Popen(sleeper) as process:
        while b"sleep" not in Path(f"/proc/{process.pid}/comm").read_bytes():
            pass
        seen = limits(Machine(pid=process.pid), lambda _: None)
        process.kill()

    assert seen.nofile == Rlimit(soft=77, hard=99)
    assert seen.open_files
    assert seen.maps
    assert seen.user_threads


def test_a_mac_tells_only_of_itself() -> None:
    resource = pytest.importorskip("resource")
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)

    seen = limits(Machine(system="darwin"), lambda _: None)

    assert seen.nofile.soft == (None if soft == resource.RLIM_INFINITY else soft)
    assert seen.nproc


@pytest.mark.parametrize(("system", "pid"), [("darwin", 7), ("win32", None)])
def test_elsewhere_nothing_can_be_read(system: str, pid: int | None) -> None:
    with pytest.raises(UnreadableError, match=f"cannot be read on {system}"):
        limits(Machine(system=system, pid=pid), lambda _: None)
