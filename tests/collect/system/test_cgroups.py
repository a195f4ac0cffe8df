"""Groups are found in every layout of hierarchies, from inside and from outside."""

import os
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.cgroups import list_cgroups
from pipedoctor.facts import UnreadableError

V2 = "31 23 0:28 {root} {point} rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate"
V1 = "32 31 0:29 {root} {point} rw,relatime shared:9 - cgroup cgroup rw,{names}"
FS = "/sys/fs/cgroup"
DOCKER = "/docker/4f1d"
POD = "/kubepods/burstable/pod77/c0ffee"
SLICE = "/user.slice/user-1000.slice/session-3.scope"


def v2(root: str = "/", point: str = FS) -> str:
    return V2.format(root=root, point=point)


def v1(names: str, root: str = "/", point: str = "") -> str:
    return V1.format(root=root, point=point or f"{FS}/{names}", names=names)


def fake(root: Path, groups: str, mounts: str, directories: str, process: str = "self") -> None:
    """Write /proc/<process> and make these directories below /sys/fs/cgroup."""
    proc = root / "proc" / process
    proc.mkdir(parents=True)
    (proc / "cgroup").write_text(groups)
    (proc / "mountinfo").write_text(f"22 27 0:21 / /proc rw,relatime - proc proc rw\n{mounts}\n")
    for directory in directories.split():
        (root / directory.lstrip("/")).mkdir(parents=True, exist_ok=True)


LAYOUTS = [
    pytest.param(
        f"0::{SLICE}\n",
        v2(),
        f"{FS}{SLICE}",
        [
            f"{FS}{SLICE}",
            f"{FS}/user.slice/user-1000.slice",
            f"{FS}/user.slice",
            FS,
        ],
        id="systemd slices on v2",
    ),
    pytest.param(
        "4:memory:/jobs\n3:cpu,cpuacct:/slurm/uid_7/job_9/step_0\n",
        v1("cpu,cpuacct"),
        f"{FS}/cpu,cpuacct/slurm/uid_7/job_9/step_0",
        [
            f"{FS}/cpu,cpuacct/slurm/uid_7/job_9/step_0",
            f"{FS}/cpu,cpuacct/slurm/uid_7/job_9",
            f"{FS}/cpu,cpuacct/slurm/uid_7",
            f"{FS}/cpu,cpuacct/slurm",
            f"{FS}/cpu,cpuacct",
        ],
        id="Slurm on v1 with controllers mounted together",
    ),
    pytest.param(
        "3:cpu:/jobs\n1:name=systemd:/init.scope\n0::/init.scope\n",
        v1("cpu") + "\n" + v2(point=f"{FS}/unified"),
        f"{FS}/cpu/jobs {FS}/unified/init.scope",
        [f"{FS}/cpu/jobs", f"{FS}/cpu"],
        id="hybrid: the controller is in v1",
    ),
    pytest.param(
        "3:memory:/jobs\n0::/init.scope\n",
        v1("memory") + "\n" + v2(point=f"{FS}/unified"),
        f"{FS}/memory/jobs {FS}/unified/init.scope",
        [f"{FS}/unified/init.scope", f"{FS}/unified"],
        id="hybrid: the controller is in the unified tree",
    ),
    pytest.param(
        f"3:cpu:{DOCKER}\n",
        v1("cpu", root=DOCKER),
        f"{FS}/cpu/child",
        [f"{FS}/cpu"],
        id="Docker on v1 without a cgroup namespace: the group is the mount",
    ),
    pytest.param(
        f"3:cpu:{DOCKER}/child\n",
        v1("cpu", root=DOCKER),
        f"{FS}/cpu/child",
        [f"{FS}/cpu/child", f"{FS}/cpu"],
        id="a group made inside Docker on v1",
    ),
    pytest.param("0::/\n", v2(), FS, [FS], id="Docker on v2: a cgroup namespace of its own"),
    pytest.param(
        f"0::{POD}\n",
        v2(root=POD),
        FS,
        [FS],
        id="Kubernetes on v2 with the group bound to the mount",
    ),
    pytest.param(
        f"5:cpu:{POD}\n",
        v1("cpu") + "\n" + v1("cpu", root=POD, point="/host"),
        f"/host {FS}/cpu{POD}",
        [
            f"{FS}/cpu{POD}",
            f"{FS}/cpu/kubepods/burstable/pod77",
            f"{FS}/cpu/kubepods/burstable",
            f"{FS}/cpu/kubepods",
            f"{FS}/cpu",
        ],
        id="Kubernetes on v1: the mount that shows most parents",
    ),
    pytest.param(
        "0::/\n",
        v2(root="/../.."),
        FS,
        [FS],
        id="mounted from outside the namespace: the mount is a parent",
    ),
    pytest.param(
        "0::/../job\n",
        v2(root="/.."),
        f"{FS}/job",
        [f"{FS}/job", FS],
        id="moved to a sibling of the namespace's root",
    ),
    pytest.param(
        f"0::{SLICE}\n",
        v2(),
        f"{FS}/user.slice",
        [f"{FS}/user.slice", FS],
        id="group not visible: its parents still bind it",
    ),
    pytest.param(
        "0::/gone (deleted)\n",
        v2(),
        f"{FS}/gone",
        [f"{FS}/gone", FS],
        id="a group that was removed and made again",
    ),
    pytest.param(
        "0::/a b\n",
        v2(point="/sys/fs/my\\040groups"),
        "/sys/fs",
        [],
        id="escaped mount point that is not there",
    ),
    pytest.param(f"0::{SLICE}\n", v2(root=DOCKER), FS, [], id="the mount shows another group"),
    pytest.param("0::/../job\n", v2(), FS, [], id="outside of all that the namespace shows"),
    pytest.param("0::/..\n", v2(root="/.."), FS, [FS], id="at the root of an outside mount"),
    pytest.param("3:cpu:/jobs\n", v2(), f"{FS}/jobs", [], id="v1 is not mounted"),
    pytest.param(
        "3:cpu:/jobs\n4:memory:/\n",
        v1("cpu") + "\n" + v1("memory").replace("32 31", "33 31"),
        f"{FS}/cpu {FS}/memory/jobs",
        [f"{FS}/cpu"],
        id="another controller has a group of that name",
    ),
]


@pytest.mark.parametrize(("groups", "mounts", "directories", "expected"), LAYOUTS)
def test_layout(
    tmp_path: Path, groups: str, mounts: str, directories: str, expected: list[str]
) -> None:
    fake(tmp_path, groups, mounts, directories)
    (tmp_path / "sys/fs/cgroup/unified").mkdir(parents=True, exist_ok=True)
    controller = "pids" if "init.scope" in groups and "memory" in groups else "cpu"

    if not expected:
        with pytest.raises(UnreadableError, match="no control group with the cpu control"):
            list_cgroups(Machine(root=tmp_path), controller)
        return
    found = list_cgroups(Machine(root=tmp_path), controller)
    assert [f"/{path.relative_to(tmp_path)}" for path in found] == expected


def test_escaped_mount_point(tmp_path: Path) -> None:
    fake(tmp_path, "0::/a b\n", v2(point="/sys/my\\040groups"), "")
    (tmp_path / "sys/my groups/a b").mkdir(parents=True)

    found = list_cgroups(Machine(root=tmp_path), "cpu")

    assert [path.name for path in found] == ["a b", "my groups"]


def test_unified_tree_without_the_controller(tmp_path: Path) -> None:
    fake(tmp_path, "0::/\n", v2(), FS)
    controllers = tmp_path / "sys/fs/cgroup/cgroup.controllers"
    controllers.write_text("cpuset io pids\n")

    assert list_cgroups(Machine(root=tmp_path), "pids")
    with pytest.raises(UnreadableError, match="with the cpu controller is visible"):
        list_cgroups(Machine(root=tmp_path), "cpu")


def test_no_groups_at_all(tmp_path: Path) -> None:
    fake(tmp_path, "1:name=systemd:/\n", "", "")

    with pytest.raises(UnreadableError, match="the process is not in a control group of the"):
        list_cgroups(Machine(root=tmp_path), "cpu")


def test_no_proc(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="cgroup: No such file or directory"):
        list_cgroups(Machine(root=tmp_path), "cpu")


def test_another_process_seen_from_the_host_with_all_parents(tmp_path: Path) -> None:
    fake(tmp_path, "0::/\n", v2(), f"{FS}{DOCKER}")
    fake(tmp_path, f"0::{DOCKER}\n", v2(root=DOCKER), "", process="42")
    (tmp_path / "proc/42/root/sys/fs/cgroup").mkdir(parents=True)

    found = list_cgroups(Machine(root=tmp_path, pid=42), "cpu")

    assert [f"/{path.relative_to(tmp_path)}" for path in found] == [
        f"{FS}{DOCKER}",
        f"{FS}/docker",
        FS,
    ]


def test_another_process_whose_mounts_alone_show_its_group(tmp_path: Path) -> None:
    fake(tmp_path, "0::/\n", "", "")
    fake(tmp_path, f"0::{DOCKER}\n", v2(root=DOCKER), "", process="42")
    own = tmp_path / "proc/42/root/sys/fs/cgroup"
    own.mkdir(parents=True)

    assert list_cgroups(Machine(root=tmp_path, pid=42), "cpu") == [own]


def test_a_directory_behind_a_closed_door(tmp_path: Path) -> None:
    too_long = "x" * 300
    fake(tmp_path, f"0::/{too_long}\n", v2(), FS)

    found = list_cgroups(Machine(root=tmp_path), "cpu")

    assert found == [tmp_path / "sys/fs/cgroup"]


@pytest.mark.skipif(not Path("/proc/self/cgroup").exists(), reason="needs Linux")
def test_here() -> None:
    try:
        here = list_cgroups(Machine(), "pids")
    except UnreadableError as reason:
        pytest.skip(str(reason))

    assert here == list_cgroups(Machine(pid=os.getpid()), "pids")
    assert all(directory.is_dir() for directory in here)
