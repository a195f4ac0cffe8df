"""The memory section: meminfo, limits of control groups, settings of the kernel."""

import sys
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.memory import memory
from pipedoctor.collect.system.oom_kills import count_oom_kills
from pipedoctor.facts import Memory, MemoryLimit, UnreadableError
from pipedoctor.units import GiB, MiB

NO_LIMIT = "9223372036854771712\n"
MEMINFO = """\
MemTotal:       16777216 kB
MemFree:         1048576 kB
MemAvailable:    8388608 kB
SwapTotal:       2097152 kB
SwapFree:        1048576 kB
CommitLimit:    10485760 kB
Committed_AS:    4194304 kB
HugePages_Total:       0
Strange:             one kB
"""
V1_MOUNT = "32 31 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
V2_MOUNT = "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"


def put(root: Path, name: str, text: str) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put(tmp_path, "proc/meminfo", MEMINFO)
    put(tmp_path, "proc/self/cgroup", "")
    return tmp_path


def look(root: Path) -> Memory:
    return memory(Machine(root=root), lambda _: None)


def test_the_machine(root: Path) -> None:
    put(root, "proc/sys/vm/overcommit_memory", "2\n")
    put(root, "proc/sys/vm/swappiness", "60\n")
    pages = "sys/kernel/mm/transparent_hugepage/enabled"
    put(root, pages, "always [madvise] never\n")
    put(root, pages.replace("enabled", "defrag"), "[always] defer never\n")
    put(root, "proc/vmstat", "nr_free_pages 5\ncompact_stall 77\n")

    assert look(root) == Memory(
        total=16 * GiB,
        available=8 * GiB,
        swap_total=2 * GiB,
        swap_free=1 * GiB,
        group_unknown="the process is not in a control group of the memory controller",
        overcommit=2,
        commit_limit=10 * GiB,
        committed=4 * GiB,
        swappiness=60,
        transparent_hugepages="madvise",
        hugepage_defrag="always",
        compaction_stalls=77,
    )


def test_old_kernels_have_no_estimate_of_what_is_available(root: Path) -> None:
    put(root, "proc/meminfo", "MemTotal: 4096 kB\nMemFree: 1024 kB\n")

    assert look(root).available == 1 * MiB


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("MemTotal: 4096\n", id="no unit"),
        pytest.param("MemTotal:\n", id="no number"),
    ],
)
def test_nonsense(root: Path, text: str) -> None:
    put(root, "proc/meminfo", text)

    with pytest.raises(UnreadableError, match="does not contain the memory size"):
        look(root)


def test_no_limit_in_the_first_version(root: Path) -> None:
    put(root, "proc/self/cgroup", "4:memory:/job\n")
    put(root, "proc/self/mountinfo", V1_MOUNT)
    put(root, "sys/fs/cgroup/memory/job/memory.limit_in_bytes", NO_LIMIT)
    put(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", f"{16 * GiB}\n")

    assert look(root).group is None
    assert look(root).group_unknown == ""
    assert look(root).limit == 16 * GiB


def test_tightest_parent_in_the_first_version(root: Path) -> None:
    put(root, "proc/self/cgroup", "4:memory:/job/step\n")
    put(root, "proc/self/mountinfo", V1_MOUNT)
    top = "sys/fs/cgroup/memory"
    put(root, f"{top}/job/step/memory.limit_in_bytes", NO_LIMIT)
    put(root, f"{top}/job/step/memory.oom_control", "under_oom 0\noom_kill 2\n")
    put(root, f"{top}/job/memory.limit_in_bytes", f"{4 * GiB}\n")
    put(root, f"{top}/job/memory.memsw.limit_in_bytes", f"{5 * GiB}\n")
    put(root, f"{top}/job/memory.usage_in_bytes", f"{3 * GiB}\n")
    stat = f"inactive_file 1\ntotal_inactive_file {GiB}\ntotal_active_file {GiB}\n"
    put(root, f"{top}/job/memory.stat", stat)
    put(root, f"{top}/job/memory.oom_control", "oom_kill_disable 0\noom_kill 1\n")
    put(root, f"{top}/memory.oom_control", "oom_kill 9\n")

    seen = look(root)

    assert seen.group == MemoryLimit(
        limit=4 * GiB,
        used=3 * GiB,
        cache=2 * GiB,
        source="/sys/fs/cgroup/memory/job/memory.limit_in_bytes",
        swap=1 * GiB,
        oom_kills=3,
    )
    assert seen.limit == 4 * GiB
    assert seen.usable_bytes == 3 * GiB


def test_swap_without_limit_in_the_first_version(root: Path) -> None:
    put(root, "proc/self/cgroup", "4:memory:/\n")
    put(root, "proc/self/mountinfo", V1_MOUNT)
    put(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", f"{GiB}\n")
    put(root, "sys/fs/cgroup/memory/memory.memsw.limit_in_bytes", NO_LIMIT)

    assert look(root).group == MemoryLimit(
        limit=GiB, source="/sys/fs/cgroup/memory/memory.limit_in_bytes"
    )


def test_unified(root: Path) -> None:
    put(root, "proc/self/cgroup", "0::/pod/box\n")
    put(root, "proc/self/mountinfo", V2_MOUNT)
    box = "sys/fs/cgroup/pod/box"
    put(root, f"{box}/memory.max", f"{2 * GiB}\n")
    put(root, f"{box}/memory.swap.max", "0\n")
    put(root, f"{box}/memory.current", f"{GiB}\n")
    put(root, f"{box}/memory.stat", "anon 7\ninactive_file 300\nactive_file 44\n")
    put(
        root,
        f"{box}/memory.events",
        "low 0\noom 4\noom_kill 5\nlong line 9\nhigh none\n",
    )
    put(root, "sys/fs/cgroup/pod/memory.max", "max\n")

    assert look(root).group == MemoryLimit(
        limit=2 * GiB,
        used=1 * GiB,
        cache=344,
        source="/sys/fs/cgroup/pod/box/memory.max",
        swap=0,
        oom_kills=5,
    )


@pytest.mark.parametrize(
    ("group", "room"),
    [
        pytest.param(None, 8 * GiB, id="no group: what the machine has available"),
        pytest.param(MemoryLimit(limit=GiB), GiB, id="use not known: the limit"),
        pytest.param(MemoryLimit(limit=GiB, used=2 * GiB), 0, id="over the limit"),
        pytest.param(MemoryLimit(limit=9 * GiB, used=0), 8 * GiB, id="machine binds"),
        pytest.param(MemoryLimit(limit=2 * GiB, used=GiB, cache=2 * GiB), 2 * GiB, id="all cache"),
    ],
)
def test_room(group: MemoryLimit | None, room: int) -> None:
    assert Memory(total=16 * GiB, available=8 * GiB, group=group).usable_bytes == room


def test_elsewhere() -> None:
    seen = memory(Machine(system="win32"), lambda _: None)

    assert 0 < seen.available <= seen.total
    assert seen.group_unknown == "only Linux has control groups"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_here() -> None:
    seen = memory(Machine(), lambda _: None)

    assert seen.total == memory(Machine(system="darwin"), lambda _: None).total


def test_kills_for_want_of_memory(root: Path) -> None:
    machine = Machine(root=root)
    assert count_oom_kills(machine) is None

    put(root, "proc/self/cgroup", "0::/job\n")
    put(root, "proc/self/mountinfo", V2_MOUNT)
    put(root, "sys/fs/cgroup/job/memory.max", "max\n")
    put(root, "sys/fs/cgroup/cgroup.controllers", "memory\n")
    put(root, "sys/fs/cgroup/job/memory.events", "oom 4\noom_kill 3\n")
    assert count_oom_kills(machine) == 3

    put(root, "proc/vmstat", "nr_free_pages 5\noom_kill 28\n")
    assert count_oom_kills(machine) == 28
