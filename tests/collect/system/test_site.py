"""Where are we? Told from files and variables of machines that lie on disk."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.site import site
from pipedoctor.facts import Launcher
from tests.collect.system.fake_site import ID, Fake


def test_bare_metal(bare: Fake) -> None:
    seen = bare.look()

    assert (seen.container, seen.virtual, seen.notebook, seen.slurm) == (
        "",
        "",
        "",
        None,
    )
    assert seen.launcher is Launcher.BARE
    assert seen.description == "bare metal"
    assert (seen.release, seen.distribution) == (
        "6.1.0-30-amd64",
        "Debian GNU/Linux 12",
    )
    assert (seen.root, seen.sys_admin, seen.sys_resource) == (True, True, True)
    assert seen.initial_pid_namespace
    assert seen.evidence == ()


def test_a_host_that_runs_docker_is_not_in_docker(bare: Fake) -> None:
    bare.mount(
        f"/var/lib/docker/overlay2/{ID}/merged",
        "overlay",
        "rw,lowerdir=/var/lib/docker/overlay2/l/ABC",
    )
    bare.mount("/run/docker/hosts", "ext4", root=f"/var/lib/docker/containers/{ID}/hosts")
    bare.write("proc/self/cgroup", "0::/system.slice/docker.service\n")

    assert bare.look().container == ""


@pytest.mark.parametrize(
    "group",
    [
        "0::/system.slice/docker.service",
        "0::/system.slice/lxc.service",
        "0::/system.slice/kubelet.service",
        "0::/system.slice/containerd.service",
        "0::/docker",
    ],
)
def test_services_that_run_containers_are_none(bare: Fake, group: str) -> None:
    assert bare.write("proc/self/cgroup", f"{group}\n").look().container == ""


@pytest.mark.parametrize("kind", ["lxc", "systemd-nspawn"])
def test_system_containers_are_cured_like_machines(bare: Fake, kind: str) -> None:
    assert bare.variables(container=kind).look().launcher is Launcher.BARE


@pytest.mark.parametrize(
    ("name", "notebook", "launcher"),
    [
        ("COLAB_RELEASE_TAG", "colab", Launcher.HOSTED),
        ("KAGGLE_KERNEL_RUN_TYPE", "kaggle", Launcher.HOSTED),
        ("JPY_PARENT_PID", "jupyter", Launcher.BARE),
    ],
)
def test_notebooks(bare: Fake, name: str, notebook: str, launcher: Launcher) -> None:
    seen = bare.variables(**{name: "1"}).look()

    assert (seen.notebook, seen.launcher) == (notebook, launcher)
    assert seen.description == f"bare metal, {notebook} notebook"
    assert seen.evidence == (name,)


@pytest.mark.parametrize(
    ("release", "wsl"),
    [
        ("5.15.79.1-microsoft-standard-WSL2", True),
        ("4.4.0-19041-Microsoft", True),
        ("6.8.0-1021-azure", False),
        ("6.1.0-30-amd64", False),
    ],
)
def test_wsl(bare: Fake, release: str, wsl: bool) -> None:
    seen = bare.write("proc/sys/kernel/osrelease", f"{release}\n").look()

    assert seen.wsl is wsl
    assert seen.description == ("WSL" if wsl else "bare metal")


@pytest.mark.parametrize(
    ("files", "virtual"),
    [
        pytest.param({"sys_vendor": "QEMU"}, "qemu", id="qemu"),
        pytest.param({"product_name": "KVM", "sys_vendor": "Red Hat"}, "kvm", id="kvm"),
        pytest.param({"sys_vendor": "Amazon EC2"}, "amazon", id="amazon"),
        pytest.param({"sys_vendor": "Microsoft Corporation"}, "hyper-v", id="hyper-v"),
        pytest.param({}, "unknown", id="no name"),
    ],
)
def test_virtual_machines(bare: Fake, files: dict[str, str], virtual: str) -> None:
    bare.write("proc/cpuinfo", "processor : 0\nflags : fpu hypervisor sse4_2\n")
    for name, text in files.items():
        bare.write(f"sys/class/dmi/id/{name}", f"{text}\n")
    seen = bare.look()

    assert seen.virtual == virtual
    assert seen.launcher is Launcher.BARE
    which = f" ({virtual})" if files else ""
    assert seen.description == f"virtual machine{which}"
    assert len(seen.evidence) == 1


def test_a_clouds_bare_metal_is_no_virtual_machine(bare: Fake) -> None:
    bare.write("sys/class/dmi/id/sys_vendor", "Amazon EC2\n")

    assert bare.look().virtual == ""


def test_arm_is_told_by_its_tables(bare: Fake) -> None:
    bare.write("proc/cpuinfo", "processor : 0\nFeatures : fp asimd\n")
    assert bare.look().virtual == ""

    bare.write("sys/class/dmi/id/product_name", "c7g.metal\n")
    bare.write("sys/class/dmi/id/sys_vendor", "Amazon EC2\n")
    assert bare.look().virtual == ""

    bare.write("sys/class/dmi/id/product_name", "c7g.large\n")
    assert bare.look().virtual == "amazon"


@pytest.mark.parametrize(("tree", "virtual"), [("linux,kvm\0", "kvm"), ("xen,xen\0", "xen,xen")])
def test_arm_is_told_by_its_device_tree(bare: Fake, tree: str, virtual: str) -> None:
    bare.write("proc/cpuinfo", "processor : 0\n")
    bare.write("proc/device-tree/hypervisor/compatible", tree)

    assert bare.look().virtual == virtual


def test_xen_guest_but_not_its_master(bare: Fake) -> None:
    bare.write("sys/hypervisor/type", "xen\n")
    assert bare.look().virtual == "xen"

    assert bare.write("proc/xen/capabilities", "control_d\n").look().virtual == ""


@pytest.mark.parametrize(
    ("capable", "admin", "resource"),
    [
        ("0000000000200000", True, False),
        ("0000000001000000", False, True),
        ("00000000a80425fb", False, False),
    ],
)
def test_capabilities(bare: Fake, capable: str, admin: bool, resource: bool) -> None:
    bare.write("proc/self/status", f"Uid:\t1000\t0\t0\t0\nCapEff:\t{capable}\n")
    seen = bare.look()

    assert (seen.sys_admin, seen.sys_resource, seen.root) == (admin, resource, True)


def test_rights_in_a_user_namespace_are_none(bare: Fake) -> None:
    bare.namespaces(user="user:[4026532999]")

    assert not bare.look().sys_admin
    assert bare.look().root


def test_a_map_of_one_user_is_a_user_namespace(bare: Fake) -> None:
    bare.write("proc/self/uid_map", "0 1000 1\n")

    assert (bare.look().sys_admin, bare.look().sys_resource) == (False, False)


def test_another_user_is_not_root(bare: Fake) -> None:
    bare.write("proc/self/status", "Uid:\t0\t1000\t0\t0\nCapEff:\t0\n")

    assert not bare.look().root


def test_nothing_readable_is_nothing_claimed(tmp_path: Path) -> None:
    seen = Fake(tmp_path).look()

    assert (seen.container, seen.virtual, seen.distribution) == ("", "", "")
    assert (seen.root, seen.sys_admin) == (False, False)
    assert not seen.initial_pid_namespace


def test_older_releases_are_named_by_their_own_files(tmp_path: Path) -> None:
    fake = Fake(tmp_path).write("etc/centos-release", "CentOS Linux release 7.9.2009\n")

    assert fake.look().distribution == "CentOS Linux 7.9.2009"


def test_a_broken_quote_is_taken_as_it_is(tmp_path: Path) -> None:
    fake = Fake(tmp_path).write("etc/os-release", 'PRETTY_NAME="Torn\n')

    assert fake.look().distribution == '"Torn'


def test_systemd(bare: Fake) -> None:
    assert not bare.look().systemd
    assert bare.write("run/systemd/system/x").look().systemd


@pytest.mark.parametrize(("system", "named"), [("darwin", "darwin"), ("win32", "windows")])
def test_other_systems_are_named_not_refused(system: str, named: str) -> None:
    machine = Machine(system=system, environ={"JPY_PARENT_PID": "1"})
    seen = site(machine, lambda _: None)

    assert seen.system == named
    assert seen.release
    assert seen.notebook == "jupyter"
    assert seen.root == (hasattr(os, "geteuid") and os.geteuid() == 0)
    assert (platform.version() in seen.distribution) is (named == "windows")


def test_this_machine_as_it_is() -> None:
    seen = site(Machine(), lambda _: None)

    assert seen.system in {"linux", "darwin", "windows"}
    assert seen.release
    assert seen.machine
    assert seen.root == (hasattr(os, "geteuid") and os.geteuid() == 0)


@pytest.mark.root
def test_a_namespace_of_this_very_machine() -> None:
    code = (
        "from pipedoctor.collect.machine import Machine;"
        "from pipedoctor.collect.system.site import site;"
        "s = site(Machine(), lambda _: None);"
        "print(s.root, s.sys_admin, s.initial_pid_namespace)"
    )
    inside = ["unshare", "-Urpf", "--mount-proc", sys.executable, "-c", code]
    ran = subprocess.run(inside, check=True, capture_output=True, text=True)

    assert ran.stdout.split() == ["True", "False", "False"]
