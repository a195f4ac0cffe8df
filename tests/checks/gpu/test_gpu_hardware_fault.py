"""PDR809 tells broken hardware from a program's own fault."""

import json

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import CannotJudge, Confidence, Severity
from pipedoctor.facts import Accelerators, Device, Facts, Gpu, Xid
from pipedoctor_checks.gpu.gpu_hardware_fault import gpu_hardware_fault


def logged(code: int, count: int = 1) -> Accelerators:
    last = f"NVRM: Xid (PCI:0000:01:00): {code}, pid=1"
    return Accelerators(xids=(Xid(code=code, count=count, last=last),))


def healthy(**more: object) -> Device:
    return Device(
        index=0,
        name="NVIDIA H100",
        ecc_uncorrected=0,
        remap_pending=False,
        remap_failed=False,
        **more,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("gpu", "accelerators"),
    [
        pytest.param(Gpu(devices=(healthy(),)), None, id="healthy"),
        pytest.param(Gpu(devices=(Device(index=0),)), None, id="GeForce says nothing"),
        pytest.param(Gpu(error="x", error_code=9), None, id="not loaded"),
        pytest.param(None, Accelerators(xids=()), id="quiet log"),
        pytest.param(None, logged(13), id="graphics exception: the program's"),
        pytest.param(None, logged(31), id="page fault: the program's"),
        pytest.param(None, logged(43), id="stopped: the program's"),
        pytest.param(None, logged(63), id="a row was replaced"),
    ],
)
def test_silent(gpu: Gpu | None, accelerators: Accelerators | None) -> None:
    assert gpu_hardware_fault(gpu, accelerators) == []


def test_lost_gpu_breaks(snapshot: SnapshotAssertion) -> None:
    by_code = Gpu(error="GPU is lost", error_code=15)
    by_device = Gpu(devices=(Device(index=3, lost=True),))

    (finding,) = gpu_hardware_fault(by_code, None)
    (other,) = gpu_hardware_fault(by_device, None)

    assert finding.severity is Severity.BREAKS
    assert all(remedy.advice for remedy in finding.remedies)
    assert finding.summary == "The driver has lost a GPU"
    assert other.summary == snapshot
    assert other.evidence == {"gpu.error_code": None, "lost": ["GPU 3"]}


@pytest.mark.parametrize(
    ("device", "severity", "summary"),
    [
        (
            Device(index=0, name="NVIDIA A100", remap_failed=True),
            Severity.BREAKS,
            "GPU 0 (NVIDIA A100) has broken memory that could not be replaced",
        ),
        (
            Device(index=1, remap_pending=True),
            Severity.RISKS,
            "GPU 1 (NVIDIA) waits for a reset to replace broken memory",
        ),
        (
            Device(index=2, ecc_uncorrected=1),
            Severity.RISKS,
            ("GPU 2 (NVIDIA) had 1 uncorrectable memory errors since its driver was loaded"),
        ),
    ],
)
def test_memory(device: Device, severity: Severity, summary: str) -> None:
    (finding,) = gpu_hardware_fault(Gpu(devices=(device,)), None)

    assert (finding.severity, finding.summary) == (severity, summary)


def test_a_reset_is_advice_and_names_the_gpu() -> None:
    gpu = Gpu(devices=(Device(index=5, remap_pending=True),))

    (remedy,) = gpu_hardware_fault(gpu, None)[0].remedies

    assert remedy.shell == "sudo nvidia-smi --gpu-reset -i 5"
    assert not remedy.automatic


@pytest.mark.parametrize("code", [48, 62, 64, 79, 95])
def test_fatal_xids_break(code: int) -> None:
    (finding,) = gpu_hardware_fault(None, logged(code))

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.evidence["xid"] == code


@pytest.mark.parametrize("code", [74, 94, 119, 120])
def test_serious_xids_are_a_risk(code: int) -> None:
    (finding,) = gpu_hardware_fault(None, logged(code))

    assert finding.severity is Severity.RISKS


def test_a_repeated_xid_says_how_often(snapshot: SnapshotAssertion) -> None:
    once = gpu_hardware_fault(None, logged(79))[0]
    often = gpu_hardware_fault(None, logged(79, 3))[0]

    assert once.summary == snapshot
    assert often.summary == once.summary + ", 3 times"


def test_unknown_is_not_health() -> None:
    with pytest.raises(CannotJudge, match="neither NVML nor the kernel log"):
        gpu_hardware_fault(None, Accelerators())
    with pytest.raises(CannotJudge):
        gpu_hardware_fault(None, None)


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(Gpu(devices=(healthy(lost=True),)), logged(79))
    record = json.loads(json.dumps(facts.to_record()))

    again = gpu_hardware_fault.run(Facts.from_record(record))

    assert again == gpu_hardware_fault.run(facts)
    assert len(again.findings) == 2
