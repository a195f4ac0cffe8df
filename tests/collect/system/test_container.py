"""In which container a job runs, by what gives it away."""

import pytest

from pipedoctor.facts import Launcher, Slurm
from tests.collect.system.fake_site import ID, Fake

OWN = {"pid": "pid:[4026532200]"}


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
