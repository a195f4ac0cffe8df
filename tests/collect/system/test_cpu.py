"""The cpu section: counted from /proc, /sys, control groups and Slurm's environment."""

import os
import sys
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.cpu import cpu, parse_cpu_list
from pipedoctor.facts import Cpu, NumaNode, Quota, UnreadableError

CPUINFO = """\
processor\t: {number}
model name\t: Made-up CPU @ 3 GHz
flags\t\t: fpu sse4_2 avx avx2

"""
GROUPS = "0::/pod/box\n"
MOUNT = "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
V1 = "3:cpu,cpuacct:/pod/box\n2:cpuset:/pod/box\n"
V1_MOUNTS = (
    "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
    "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
)


def write(root: Path, **files: str) -> None:
    """Write files whose names have ``__`` for ``/`` below this root."""
    for name, text in files.items():
        put(root, name.replace("__", "/"), text)


def put(root: Path, name: str, text: str) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Eight CPUs of four cores, a process bound to two of them, no groups."""
    write(
        tmp_path,
        proc__cpuinfo="".join(CPUINFO.format(number=n) for n in range(8)),
        proc__self__status="Name:\tpython\nCpus_allowed_list:\t0,4\n",
        proc__self__cgroup="",
    )
    put(tmp_path, "sys/devices/system/cpu/online", "0-7\n")
    for number in range(8):
        core = f"sys/devices/system/cpu/cpu{number}/topology/core_cpus_list"
        put(tmp_path, core, f"{number % 4},{number % 4 + 4}\n")
    return tmp_path


def look(root: Path, **environ: str) -> Cpu:
    return cpu(Machine(root=root, environ=environ), lambda _: None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("0-3,8\n", {0, 1, 2, 3, 8}, id="ranges and single ones"),
        pytest.param("0", {0}, id="one"),
        pytest.param("\n", set[int](), id="none"),
        pytest.param("a-b,3-x,7", {7}, id="nonsense left out"),
    ],
)
def test_lists_of_cpus(text: str, expected: set[int]) -> None:
    assert parse_cpu_list(text) == expected


def test_machine_and_affinity(root: Path) -> None:
    seen = look(root)

    assert (seen.logical, seen.physical, seen.affinity) == (8, 4, 2)
    assert (seen.online_list, seen.affinity_list) == ("0-7", "0,4")
    assert seen.model == "Made-up CPU @ 3 GHz"
    assert seen.flags == ("sse4_2", "avx", "avx2")
    assert seen.cpuset is None
    assert seen.quota is None
    assert seen.quota_unknown == "the process is not in a control group of the cpu controller"
    assert seen.visible_cpus == seen.effective == 2
    assert seen.binding == "affinity"


def test_older_kernels_name_siblings_otherwise(root: Path) -> None:
    for number in range(8):
        topology = root / f"sys/devices/system/cpu/cpu{number}/topology"
        (topology / "core_cpus_list").rename(topology / "thread_siblings_list")

    assert look(root).physical == 4


def test_cores_are_unknown_without_topology(root: Path) -> None:
    (root / "sys/devices/system/cpu/cpu5/topology/core_cpus_list").unlink()

    assert look(root).physical is None


def test_cpuinfo_counts_where_sys_is_hidden(root: Path) -> None:
    (root / "sys/devices/system/cpu/online").unlink()

    assert look(root).logical == 8


def test_nothing_counts(root: Path) -> None:
    (root / "sys/devices/system/cpu/online").unlink()
    (root / "proc/cpuinfo").write_text("Hardware\t: board\n")

    with pytest.raises(UnreadableError, match="lists the CPUs"):
        look(root)


def test_no_cpuinfo_is_no_harm(root: Path) -> None:
    (root / "proc/cpuinfo").unlink()

    assert look(root).model == ""
    assert look(root).flags == ()


def test_unified_quota_is_the_tightest_of_all_parents(root: Path) -> None:
    put(root, "proc/self/cgroup", GROUPS)
    put(root, "proc/self/mountinfo", MOUNT)
    put(root, "sys/fs/cgroup/pod/box/cpu.max", "max 100000\n")
    put(root, "sys/fs/cgroup/pod/cpu.max", "250000 100000\n")
    put(root, "sys/fs/cgroup/cpu.max", "400000 100000\n")
    stat = "usage_usec 1\nnr_periods 400\nnr_throttled 100\nthrottled_usec 1500000\n"
    put(root, "sys/fs/cgroup/pod/cpu.stat", stat)
    put(root, "sys/fs/cgroup/pod/box/cpuset.cpus.effective", "0-5\n")

    seen = look(root)

    assert seen.quota == Quota(
        cpus=2.5,
        source="/sys/fs/cgroup/pod/cpu.max",
        periods=400,
        throttled_periods=100,
        throttled_seconds=1.5,
    )
    assert seen.quota is not None
    assert seen.quota.throttled_share == 0.25
    assert seen.quota_unknown == ""
    assert (seen.cpuset, seen.cpuset_list) == (6, "0-5")


def test_first_version_of_groups(root: Path) -> None:
    put(root, "proc/self/cgroup", V1)
    put(root, "proc/self/mountinfo", V1_MOUNTS)
    box = "sys/fs/cgroup/cpu/pod/box"
    put(root, f"{box}/cpu.cfs_quota_us", "50000\n")
    put(root, f"{box}/cpu.cfs_period_us", "100000\n")
    stat = "nr_periods 8\nnr_throttled 2\nthrottled_time 3000000000\n"
    put(root, f"{box}/cpu.stat", stat)
    put(root, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")
    put(root, "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")
    put(root, "sys/fs/cgroup/cpuset/pod/box/cpuset.cpus", "\n")
    put(root, "sys/fs/cgroup/cpuset/pod/cpuset.effective_cpus", "0-3\n")

    seen = look(root)

    assert seen.quota == Quota(
        cpus=0.5,
        source="/sys/fs/cgroup/cpu/pod/box/cpu.cfs_quota_us",
        periods=8,
        throttled_periods=2,
        throttled_seconds=3.0,
    )
    assert seen.cpuset == 4
    assert (seen.effective, seen.binding) == (1, "cgroup quota")


@pytest.mark.parametrize(
    ("quota", "period"),
    [
        pytest.param("-1\n", "100000\n", id="no limit"),
        pytest.param("50000\n", "0\n", id="no period"),
        pytest.param("0\n", "100000\n", id="nothing"),
        pytest.param("", "", id="empty files"),
    ],
)
def test_no_quota(root: Path, quota: str, period: str) -> None:
    put(root, "proc/self/cgroup", "3:cpu:/\n")
    mount = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
    put(root, "proc/self/mountinfo", mount)
    put(root, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota)
    put(root, "sys/fs/cgroup/cpu/cpu.cfs_period_us", period)

    assert look(root).quota is None
    assert look(root).quota_unknown == ""


def test_quota_without_statistics(root: Path) -> None:
    put(root, "proc/self/cgroup", "0::/\n")
    put(root, "proc/self/mountinfo", MOUNT)
    put(root, "sys/fs/cgroup/cpu.max", "100000 100000\n")

    quota = look(root).quota

    assert quota == Quota(cpus=1.0, source="/sys/fs/cgroup/cpu.max")
    assert quota is not None
    assert quota.throttled_share is None


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        pytest.param({"SLURM_JOB_ID": "7", "SLURM_CPUS_PER_TASK": "6"}, (6, True), id="per task"),
        pytest.param({"SLURM_JOB_ID": "7", "SLURM_CPUS_ON_NODE": "5"}, (5, False), id="per node"),
        pytest.param({"SLURM_CPUS_PER_TASK": "6"}, (None, False), id="left over"),
        pytest.param({"SLURM_JOB_ID": "7", "SLURM_CPUS_PER_TASK": "0"}, (None, False), id="zero"),
        pytest.param({"SLURM_JOB_ID": "7", "SLURM_CPUS_ON_NODE": "x"}, (None, False), id="junk"),
        pytest.param(
            {"SLURM_JOB_ID": "7", "SLURM_CPUS_PER_TASK": "9" * 20}, (None, False), id="huge"
        ),
    ],
)
def test_slurm(root: Path, environ: dict[str, str], expected: tuple[int | None, bool]) -> None:
    seen = look(root, **environ)

    assert (seen.slurm_cpus, seen.slurm_per_task) == expected


def test_frequency_and_isolation(root: Path) -> None:
    folder = "sys/devices/system/cpu"
    put(root, f"{folder}/isolated", "6-7\n")
    put(root, f"{folder}/cpu0/cpufreq/scaling_governor", "powersave\n")
    put(root, f"{folder}/cpu0/cpufreq/scaling_driver", "acpi-cpufreq\n")
    put(root, f"{folder}/cpu0/cpufreq/scaling_cur_freq", "800000\n")
    put(root, f"{folder}/cpu0/cpufreq/cpuinfo_max_freq", "3500000\n")

    seen = look(root)

    assert seen.isolated == 2
    assert (seen.governor, seen.scaling_driver) == ("powersave", "acpi-cpufreq")
    assert (seen.frequency, seen.max_frequency) == (800_000_000, 3_500_000_000)


def test_memory_nodes(root: Path) -> None:
    folder = "sys/devices/system/node"
    put(root, f"{folder}/online", "0-2\n")
    put(root, f"{folder}/node0/cpulist", "0-3\n")
    put(root, f"{folder}/node1/cpulist", "4-7\n")
    put(root, f"{folder}/node2/cpulist", "\n")
    put(root, f"{folder}/node0/meminfo", "Node 0 MemTotal:       2048 kB\n")

    seen = look(root)

    assert seen.numa == (
        NumaNode(node=0, cpus=4, memory=2 << 20),
        NumaNode(node=1, cpus=4),
        NumaNode(node=2, cpus=0),
    )
    assert seen.nodes_allowed == 2


def test_another_process(root: Path) -> None:
    put(root, "proc/42/status", "Cpus_allowed_list:\t0-6\n")
    put(root, "proc/42/cgroup", "")

    seen = cpu(Machine(root=root, pid=42, environ={}), lambda _: None)

    assert (seen.affinity, seen.pid) == (7, 42)


def test_elsewhere() -> None:
    seen = cpu(Machine(system="darwin"), lambda _: None)

    assert seen.logical >= 1
    assert seen.affinity is None
    assert seen.quota_unknown == "only Linux has CPU quotas"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_here() -> None:
    seen = cpu(Machine(), lambda _: None)

    assert seen.logical == os.cpu_count()
    assert seen.affinity == len(os.sched_getaffinity(0))
    assert seen.flags == cpu(Machine(system="darwin"), lambda _: None).flags
