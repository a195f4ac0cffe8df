"""PDR811: the width counts at any time, the generation only under load."""

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import CannotJudge, Confidence, Severity
from pipedoctor.facts import Device, Facts, Gpu
from pipedoctor_checks.gpu.gpu_pcie_link_narrow import gpu_pcie_link_narrow


def link(width: int, most: int = 16, **more: Any) -> Gpu:
    device = Device(index=0, name="NVIDIA A100", pcie_width=width, pcie_width_max=most, **more)
    return Gpu(devices=(device,))


def speed(now: int, best: int, **more: Any) -> Gpu:
    return link(16, pcie_generation=now, pcie_generation_max=best, **more)


@pytest.mark.parametrize(
    "gpu",
    [
        pytest.param(link(16), id="all lanes"),
        pytest.param(link(8, 8), id="a card of eight"),
        pytest.param(speed(1, 4, utilisation=0, pstate=8), id="idle at generation 1"),
        pytest.param(speed(1, 5, utilisation=0, pstate=0), id="idle in P0, as cards of servers"),
        pytest.param(
            speed(1, 5, utilisation=99, pstate=0, throttled=("idle",)),
            id="its driver was only just loaded",
        ),
        pytest.param(speed(1, 4), id="load not known"),
        pytest.param(speed(4, 4, utilisation=97), id="full speed under load"),
        pytest.param(link(16, utilisation=9, pcie_generation=3), id="best speed not known"),
        pytest.param(link(16, utilisation=9, pcie_generation_max=3), id="speed not known"),
    ],
)
def test_silent(gpu: Gpu) -> None:
    assert gpu_pcie_link_narrow(gpu) == []


@pytest.mark.parametrize(
    ("width", "severity"),
    [(15, Severity.NOTE), (8, Severity.NOTE), (7, Severity.SLOWS), (1, Severity.SLOWS)],
)
def test_half_the_lanes_is_a_note_fewer_slow(width: int, severity: Severity) -> None:
    (finding,) = gpu_pcie_link_narrow(link(width))

    assert finding.severity is severity
    assert finding.summary == f"GPU 0 (NVIDIA A100) has {width} of 16 PCIe lanes"
    assert finding.confidence is Confidence.LIKELY
    assert finding.remedies[0].advice


def test_the_share_is_a_setting() -> None:
    (finding,) = gpu_pcie_link_narrow(link(8), narrow=0.6)

    assert finding.severity is Severity.SLOWS


@pytest.mark.parametrize("load", [{"utilisation": 1}, {"pstate": 0}])
def test_under_load_width_and_generation_are_sure(
    load: dict[str, int], snapshot: SnapshotAssertion
) -> None:
    gpu = link(4, pcie_generation=1, pcie_generation_max=4, **load)

    lanes, generation = gpu_pcie_link_narrow(gpu)

    assert lanes.confidence is generation.confidence is Confidence.CERTAIN
    assert generation.severity is Severity.SLOWS
    assert generation.summary == snapshot
    assert generation.evidence["pcie_generation"] == [1, 4]


def test_unknown_is_not_health() -> None:
    with pytest.raises(CannotJudge, match="the PCIe link of no GPU is known"):
        gpu_pcie_link_narrow(Gpu(devices=(Device(index=0, pcie_width=4),)))
    with pytest.raises(CannotJudge):
        gpu_pcie_link_narrow(Gpu(devices=(Device(index=0, pcie_width_max=4),)))


def test_judges_another_machine_from_its_record() -> None:
    record = json.loads(json.dumps(Facts(link(4)).to_record()))

    again = gpu_pcie_link_narrow.run(Facts.from_record(record))

    assert list(again.findings) == gpu_pcie_link_narrow(link(4))
