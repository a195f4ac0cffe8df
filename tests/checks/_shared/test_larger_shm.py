"""What makes /dev/shm larger, by place."""

from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Lasts, Place, Remedy
from pipedoctor.facts import Shm, Site, Slurm
from pipedoctor.units import MiB
from tests.checks.shm_samples import BARE, DOCKER, HOST, IMAGENET, IN_DOCKER, ROOMY, judge


def remedies(shm: Shm, site: Site | None) -> tuple[Remedy, ...]:
    return judge(shm, IMAGENET, ROOMY, site)[0].remedies


def test_host_is_cured_in_place_until_reboot_or_for_good() -> None:
    live_one, lasting, code = remedies(HOST, BARE)

    assert live_one.shell == "sudo mount -o remount,size=2880m /dev/shm"
    assert live_one.undo == ("mount", "-o", "remount,size=64m", "/dev/shm")
    assert live_one.lasts is Lasts.BOOT
    assert live_one.automatic
    assert lasting.snippet == "tmpfs /dev/shm tmpfs defaults,nosuid,nodev,size=2880m 0 0"
    assert (lasting.root, lasting.advice, lasting.automatic) == (True, True, False)
    assert code.place is Place.CODE


def test_that_of_a_process_apart_is_not_in_our_fstab() -> None:
    (code,) = remedies(Shm(size=64 * MiB, here=False), BARE)

    assert code.place is Place.CODE


def test_container_is_cured_from_outside() -> None:
    flag, compose, ipc, _ = remedies(DOCKER, IN_DOCKER)

    assert flag.shell == "docker run --shm-size=3g"
    assert compose.snippet == "services:\n  train:\n    shm_size: 3gb"
    assert ipc.shell == "docker run --ipc=host"
    assert not any(remedy.automatic for remedy in (flag, compose, ipc))


def test_podman_has_its_own_name() -> None:
    flag, *_ = remedies(DOCKER, Site(system="linux", container="podman"))

    assert flag.shell == "podman run --shm-size=3g"


def test_a_pod_gets_a_memory_volume() -> None:
    volume, _ = remedies(DOCKER, Site(system="linux", container="kubernetes"))

    assert volume.argv[:2] == ("kubectl", "patch")
    assert "medium: Memory\n        sizeLimit: 3Gi" in volume.snippet
    assert "mountPath: /dev/shm" in volume.snippet


def test_slurm_and_apptainer_take_it_from_the_node(snapshot: SnapshotAssertion) -> None:
    bind, _ = remedies(DOCKER, Site(system="linux", container="apptainer"))
    ask, _ = remedies(DOCKER, Site(system="linux", slurm=Slurm(job_id="1")))

    assert bind.shell == "apptainer exec --bind /dev/shm IMAGE.sif COMMAND"
    assert ask.advice
    assert ask.title == snapshot


def test_never_the_other_sharing_strategy() -> None:
    for site in (None, BARE, IN_DOCKER):
        for remedy in remedies(HOST, site):
            assert "file_system" not in f"{remedy.title}{remedy.snippet}{remedy.shell}"


def test_an_unknown_place_gets_every_remedy_with_its_name() -> None:
    titles = [remedy.title for remedy in remedies(DOCKER, None)]

    assert [title.partition(":")[0] for title in titles] == [
        "Bare metal",
        "Docker",
        "Docker",
        "Docker",
        "Kubernetes",
        "Slurm",
        "Use num_workers=0, or batches of at most 2.8 MiB",
    ]
