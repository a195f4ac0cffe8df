"""Where are we? Told from files and variables of machines that lie on disk."""

import os
import platform
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.site import site
from pipedoctor.facts import Launcher, Site, Slurm

INITIAL = {"pid": "pid:[4026531836]", "user": "user:[4026531837]"}
OWN = {"pid": "pid:[4026532200]"}
ID = "3f4e5d6c7b8a" * 4
MOUNT = "{n} {parent} 0:{n} {root} {point} rw,relatime - {fstype} {source} {options}\n"


@dataclass
class Fake:
    """A root to look at, written on demand."""

    root: Path
    environ: dict[str, str] = field(default_factory=dict[str, str])
    mounts: str = ""

    def write(self, path: str, text: str = "") -> "Fake":
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return self

    def mount(self, point: str, fstype: str, options: str = "rw", root: str = "/") -> "Fake":
        self.mounts += MOUNT.format(
            n=20 + self.mounts.count("\n"),
            parent=20 if self.mounts else 1,
            root=root,
            point=point,
            fstype=fstype,
            source=fstype,
            options=options,
        )
        return self.write("proc/self/mountinfo", self.mounts)

    def namespaces(self, **changed: str) -> "Fake":
        folder = self.root / "proc/self/ns"
        folder.mkdir(parents=True, exist_ok=True)
        for kind, name in (INITIAL | changed).items():
            (folder / kind).unlink(missing_ok=True)
            (folder / kind).symlink_to(name)
        return self

    def variables(self, **environ: str) -> "Fake":
        self.environ |= environ
        return self

    def look(self) -> Site:
        return site(
            Machine(root=self.root, system="linux", environ=self.environ),
            lambda _: None,
        )


@pytest.fixture
def bare(tmp_path: Path) -> Fake:
    """A machine without any container, as root of it."""
    status = "Name:\tx\nUid:\t0\t0\t0\t0\nNoNewPrivs:\t0\nCapEff:\t000001ffffffffff\n"
    fake = Fake(tmp_path).namespaces().mount("/", "ext4")
    fake.write("proc/self/status", status)
    fake.write("proc/self/uid_map", "         0          0 4294967295\n")
    fake.write("proc/self/cgroup", "0::/user.slice/user-0.slice/session-1.scope\n")
    fake.write("proc/sys/kernel/osrelease", "6.1.0-30-amd64\n")
    fake.write("etc/os-release", 'NAME=Debian\nPRETTY_NAME="Debian GNU/Linux 12"\n')
    return fake.write("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu sse4_2\n")


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


@pytest.mark.parametrize(
    ("group", "kind"),
    [
        (f"12:cpu:/docker/{ID}", "docker"),
        (f"0::/system.slice/docker-{ID}.scope", "docker"),
        (f"0::/../../docker-{ID}.scope", "docker"),
        (f"0::/machine.slice/libpod-{ID}.scope/container", "podman"),
        ("0::/kubepods.slice/kubepods-besteffort.slice/x.scope", "kubernetes"),
        (f"4:memory:/kubepods/burstable/pod1/{ID}", "kubernetes"),
        (f"0::/system.slice/nerdctl-{ID}.scope", "containerd"),
        ("0::/lxc.payload.ct1/system.slice/x.service", "lxc"),
        ("3:pids:/lxc/101/init.scope", "lxc"),
    ],
)
def test_own_cgroup_tells(bare: Fake, group: str, kind: str) -> None:
    seen = bare.write("proc/self/cgroup", f"{group}\n").look()

    assert seen.container == kind
    assert seen.evidence == (f"cgroup {group.split(':', 2)[2]}"[:87],)


@pytest.mark.parametrize(
    ("layers", "kind"),
    [
        (
            "lowerdir=/var/lib/docker/overlay2/l/A:/var/lib/docker/overlay2/l/B",
            "docker",
        ),
        ("lowerdir=/home/u/.local/share/docker/overlay2/l/A", "docker"),
        ("lowerdir=/var/lib/containers/storage/overlay/l/A", "podman"),
        (
            "lowerdir=/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/x",
            "containerd",
        ),
        ("lowerdir=/run/live/rootfs/filesystem.squashfs", ""),
    ],
)
def test_layers_of_the_root_tell(bare: Fake, layers: str, kind: str) -> None:
    bare.mounts = ""

    assert bare.mount("/", "overlay", f"rw,{layers}").look().container == kind


@pytest.mark.parametrize(
    ("origin", "kind"),
    [
        (f"/var/lib/docker/containers/{ID}/hosts", "docker"),
        ("/var/lib/kubelet/pods/1-2/etc-hosts", "kubernetes"),
        (f"/run/containers/overlay-containers/{ID}/userdata/hosts", "podman"),
        ("/srv/hosts", ""),
    ],
)
def test_files_bound_into_etc_tell(bare: Fake, origin: str, kind: str) -> None:
    assert bare.mount("/etc/hosts", "ext4", root=origin).look().container == kind


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("run/.containerenv", "podman"),
        ("run/secrets/kubernetes.io/serviceaccount/token", "kubernetes"),
        ("var/run/secrets/kubernetes.io/serviceaccount/token", "kubernetes"),
        (".singularity.d/startscript", "apptainer"),
    ],
)
def test_files_tell(bare: Fake, path: str, kind: str) -> None:
    assert bare.write(path).look().container == kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("KUBERNETES_SERVICE_HOST", "kubernetes"),
        ("APPTAINER_CONTAINER", "apptainer"),
        ("SINGULARITY_CONTAINER", "apptainer"),
    ],
)
def test_variables_tell(bare: Fake, name: str, kind: str) -> None:
    assert bare.variables(**{name: "x"}).look().container == kind
    assert bare.variables(**{name: ""}).look().container == ""


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("lxc", "lxc"),
        ("systemd-nspawn", "nspawn"),
        ("podman", "podman"),
        ("oci", "other"),
        ("blue", ""),
    ],
)
def test_managers_introduce_themselves(bare: Fake, said: str, kind: str) -> None:
    assert bare.variables(container=said).look().container == kind
    assert bare.variables(container="").look().container == ""
    assert bare.write("run/systemd/container", f"{said}\n").look().container == kind
    bare.write("run/systemd/container", "")
    bare.write("proc/1/environ", f"A=1\0container={said}\0")
    assert bare.look().container == kind


def test_dockerenv_in_a_namespace_of_its_own_is_docker(bare: Fake) -> None:
    assert bare.write(".dockerenv").namespaces(**OWN).look().container == "docker"


def test_dockerenv_on_an_overlay_is_docker(bare: Fake) -> None:
    bare.mounts = ""
    seen = bare.write(".dockerenv").mount("/", "overlay").look()

    assert seen.container == "docker"
    assert seen.evidence == ("/.dockerenv",)


def test_dockerenv_on_a_disk_of_a_machine_is_a_relic(bare: Fake) -> None:
    seen = bare.write(".dockerenv").look()

    assert seen.container == ""
    assert "relic" in seen.evidence[0]


def test_dockerenv_in_an_apptainer_image_is_a_relic(bare: Fake) -> None:
    bare.mounts = ""
    bare.write(".dockerenv").mount("/", "overlay").variables(APPTAINER_CONTAINER="x.sif")

    assert bare.look().container == "apptainer"
    assert bare.namespaces(**OWN).look().container == "docker"


def test_kubernetes_in_docker_is_kubernetes_and_says_both(bare: Fake) -> None:
    bare.namespaces(**OWN).write(".dockerenv")
    seen = bare.variables(KUBERNETES_SERVICE_HOST="10.0.0.1").look()

    assert seen.launcher is Launcher.KUBERNETES
    assert seen.evidence == ("KUBERNETES_SERVICE_HOST", "/.dockerenv")


def test_slurm_job_in_apptainer(bare: Fake) -> None:
    bare.variables(
        APPTAINER_CONTAINER="/x.sif",
        SLURM_JOB_ID="77",
        SLURM_CPUS_PER_TASK="8",
        SLURM_CPUS_ON_NODE="64",
        SLURM_NTASKS_PER_NODE="4(x2)",
    )
    seen = bare.look()

    assert seen.launcher is Launcher.SLURM
    assert seen.description == "apptainer container, Slurm job 77"
    assert seen.slurm == Slurm(job_id="77", cpus_per_task=8, cpus_on_node=64)
    assert seen.evidence == ("APPTAINER_CONTAINER", "SLURM_JOB_ID")


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
        "from pipedoctor.collect.site import site;"
        "s = site(Machine(), lambda _: None);"
        "print(s.root, s.sys_admin, s.initial_pid_namespace)"
    )
    inside = ["unshare", "-Urpf", "--mount-proc", sys.executable, "-c", code]
    ran = subprocess.run(inside, check=True, capture_output=True, text=True)

    assert ran.stdout.split() == ["True", "False", "False"]
