"""PDR810 speaks of heat and power faults, not of idle GPUs and power caps."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import CannotJudge, Severity
from pipedoctor.facts import Device, Gpu
from pipedoctor_checks.gpu.gpu_throttled import gpu_throttled


def clocked(*reasons: str, **more: int) -> Gpu:
    device = Device(index=0, name="NVIDIA A100", throttled=reasons, **more)  # type: ignore[arg-type]
    return Gpu(devices=(device,))


@pytest.mark.parametrize(
    "gpu",
    [
        pytest.param(clocked(), id="full clocks"),
        pytest.param(clocked("idle"), id="idle"),
        pytest.param(clocked("software power cap"), id="at its power cap"),
        pytest.param(clocked("application clocks"), id="clocks set by the user"),
    ],
)
def test_silent(gpu: Gpu) -> None:
    assert gpu_throttled(gpu) == []


@pytest.mark.parametrize(
    "reason",
    [
        "hardware slowdown",
        "software thermal slowdown",
        "hardware thermal slowdown",
        "hardware power brake",
    ],
)
def test_faults_slow(reason: str) -> None:
    (finding,) = gpu_throttled(clocked("software power cap", reason, temperature=91))

    assert finding.severity is Severity.SLOWS
    assert all(remedy.advice for remedy in finding.remedies)
    assert finding.summary == f"GPU 0 (NVIDIA A100) is throttled: {reason} at 91 °C"
    assert finding.evidence == {"throttled": [reason], "temperature": 91}
    assert not finding.remedies[0].automatic


def test_without_a_temperature(snapshot: SnapshotAssertion) -> None:
    (finding,) = gpu_throttled(clocked("hardware slowdown"))

    assert finding.summary == snapshot


def test_only_the_slow_one_of_two() -> None:
    gpu = Gpu(devices=(Device(index=0), Device(index=1, throttled=("hardware slowdown",))))

    (finding,) = gpu_throttled(gpu)

    assert finding.summary.startswith("GPU 1 (NVIDIA) ")


def test_unknown_is_not_health() -> None:
    with pytest.raises(CannotJudge, match="the driver reports no throttle reasons"):
        gpu_throttled(Gpu(devices=(Device(index=0),)))
