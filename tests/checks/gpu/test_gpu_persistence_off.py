"""PDR812 is a note, and only where the mode exists."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import CannotJudge, Severity
from pipedoctor.facts import Device, Gpu, Site
from pipedoctor_checks.gpu.gpu_persistence_off import gpu_persistence_off

BARE = Site(system="linux")


def modes(*values: bool | None) -> Gpu:
    devices = (Device(index=i, persistence=mode) for i, mode in enumerate(values))
    return Gpu(devices=tuple(devices))


@pytest.mark.parametrize(
    ("gpu", "site"),
    [
        pytest.param(modes(True, True), BARE, id="on"),
        pytest.param(modes(False, True), BARE, id="on for one: somebody chose"),
        pytest.param(modes(False), Site(system="windows"), id="Windows"),
        pytest.param(modes(False), Site(system="linux", wsl=True), id="WSL"),
    ],
)
def test_silent(gpu: Gpu, site: Site) -> None:
    assert gpu_persistence_off(gpu, site) == []


def test_off_is_a_note() -> None:
    (finding,) = gpu_persistence_off(modes(False, False), BARE)

    assert finding.severity is Severity.NOTE
    assert all(remedy.advice for remedy in finding.remedies)
    assert finding.summary == (
        "Persistence mode is off on 2 GPUs: the first job on an idle GPU waits for the driver"
    )
    assert finding.evidence == {"persistence": [False, False]}
    (remedy,) = finding.remedies
    assert remedy.shell == "sudo nvidia-smi -pm 1"
    assert remedy.undo == ("nvidia-smi", "-pm", "0")
    assert not remedy.automatic


def test_in_a_container_the_host_decides(snapshot: SnapshotAssertion) -> None:
    inside = Site(system="linux", container="docker")

    (finding,) = gpu_persistence_off(modes(False, None), inside)

    assert finding.remedies[0].title == snapshot
    assert finding.remedies[0].advice
    assert finding.summary == snapshot


def test_unknown_is_not_health() -> None:
    with pytest.raises(CannotJudge, match="the driver reports the persistence mode of no GPU"):
        gpu_persistence_off(modes(None), None)
