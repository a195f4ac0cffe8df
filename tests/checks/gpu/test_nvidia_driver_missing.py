"""PDR802 tells a missing driver from a machine that needs none."""

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.facts import (
    Accelerators,
    Device,
    Facts,
    Gpu,
    Hang,
    PciDevice,
    Site,
    TorchBuild,
    TorchImport,
)
from pipedoctor_checks.gpu.nvidia_driver_missing import nvidia_driver_missing

LINUX = Site(system="linux")
DOCKER = Site(system="linux", container="docker")
CUDA = TorchBuild(version="2.13.0", cuda="13.0")
CPU = TorchBuild(version="2.13.0", local="cpu")
IMAGE = Accelerators(toolkit="11.3.109")
GONE = Gpu(error="could not collect")
UNLOADED = Gpu(error="Driver Not Loaded", error_code=9)


def bus(*drivers: str, **more: Any) -> Accelerators:
    pci = tuple(PciDevice(vendor="10de", device="2204", driver=d) for d in drivers)
    return Accelerators(pci=pci, **more)


def judged(*facts: Any) -> list[Finding]:
    return list(nvidia_driver_missing.run(Facts(*facts)).findings)


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param((bus(), CUDA), id="CUDA build on a machine without a GPU"),
        pytest.param((bus(toolkit="12.4"), CUDA), id="toolkit on such a machine"),
        pytest.param((Accelerators(), CUDA), id="nothing known"),
        pytest.param((IMAGE, CPU, GONE), id="toolkit beside a build for the CPU"),
        pytest.param((bus("nvidia"), CUDA), id="bound, not seen in /proc"),
        pytest.param((bus("nvidia", nvidia_module="580.95"), CUDA), id="loaded"),
        pytest.param((bus("vfio-pci"), CUDA, UNLOADED), id="handed on, and its library is here"),
        pytest.param((bus(nvidia_module="580.95"), CUDA, UNLOADED), id="loaded meanwhile"),
        pytest.param((bus(), CUDA, GONE), id="another error without a card"),
        pytest.param(
            (bus("nvidia", nvidia_module="580.95"), CUDA, GONE), id="nobody knows which error"
        ),
        pytest.param(
            (bus("nvidia", nvidia_module="580.95", nvidia_nodes=("/dev/nvidia0",)), CUDA, UNLOADED),
            id="its device files are there",
        ),
        pytest.param((bus("vfio-pci"), CUDA), id="handed on to a virtual machine"),
        pytest.param((bus("nouveau", jetson=True), CUDA), id="Jetson"),
        pytest.param((bus("nouveau", rocm=True), CUDA), id="AMD's driver is at work"),
        pytest.param((bus("nouveau"), TorchBuild(version="2.13.0", hip="7.2")), id="ROCm"),
        pytest.param((bus("nouveau"), TorchBuild(version="2.13.0", xpu="1")), id="XPU"),
        pytest.param((IMAGE, CUDA, Gpu(driver="580.95.05")), id="driver answers"),
        pytest.param((IMAGE, CUDA, Gpu(devices=(Device(index=0),))), id="GPU listed"),
        pytest.param((IMAGE, CUDA, Gpu(error="x", error_code=18)), id="mismatch speaks"),
        pytest.param((IMAGE, CUDA, Gpu(hang=Hang(doing="x", seconds=3))), id="it hangs"),
        pytest.param((IMAGE, CUDA, TorchImport(ok=True, cuda_available=True)), id="CUDA works"),
        pytest.param(
            (bus("", nvidia_module="580.95", nvidia_nodes=("/dev/nvidia0",)), DOCKER),
            id="container with its device files",
        ),
    ],
)
def test_silent(facts: tuple[Any, ...]) -> None:
    verdict = nvidia_driver_missing.run(Facts(*facts))

    assert verdict.findings == ()
    assert verdict.skipped == ""


def test_macos_is_left_alone() -> None:
    assert judged(bus(""), CUDA, Site(system="darwin")) == []


def test_nouveau_has_the_card(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(bus("nouveau"), CUDA, LINUX, Gpu(error="-", error_code=9))

    assert finding.severity is Severity.BREAKS
    assert all(remedy.advice for remedy in finding.remedies)
    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == (
        "An NVIDIA GPU is present, but the NVIDIA driver is not loaded: the "
        "nouveau driver is using it"
    )
    (remedy,) = finding.remedies
    assert remedy.title == snapshot


def test_nobody_has_the_card(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(bus("", "vfio-pci"), CUDA, LINUX)

    assert finding.summary == snapshot


def test_device_files_are_hidden_on_a_bare_machine(snapshot: SnapshotAssertion) -> None:
    loaded = bus("nvidia", nvidia_module="580.95.05")

    (finding,) = judged(loaded, CUDA, LINUX, UNLOADED)

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == snapshot
    (remedy,) = finding.remedies
    assert (remedy.shell, remedy.advice) == ("sudo nvidia-modprobe -c 0 -u", True)
    assert judged(loaded, CPU, LINUX, UNLOADED)[0].severity is Severity.NOTE


def test_a_library_without_driver_and_card(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(bus(), CUDA, LINUX, UNLOADED)

    assert finding.severity is Severity.RISKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == snapshot
    assert judged(bus(), CPU, LINUX, UNLOADED)[0].severity is Severity.NOTE


def test_a_cpu_build_makes_it_a_note() -> None:
    (finding,) = judged(bus("nouveau"), CPU, LINUX)

    assert finding.severity is Severity.NOTE


def test_container_that_got_no_gpu(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(bus("nvidia", nvidia_module="580.95.05"), CUDA, DOCKER)

    assert finding.summary == snapshot
    (remedy,) = finding.remedies
    assert remedy.shell == "docker run --gpus all"


@pytest.mark.parametrize(
    ("site", "shell"),
    [
        (Site(system="linux", container="kubernetes"), "nvidia.com/gpu"),
        (Site(system="linux", container="apptainer"), "sbatch --gres=gpu:1"),
    ],
)
def test_pods_and_jobs_ask_for_their_gpus(site: Site, shell: str) -> None:
    (finding,) = judged(IMAGE, CUDA, GONE, site)

    assert shell in finding.remedies[0].shell


def test_toolkit_without_driver_in_a_text_is_likely(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(IMAGE, GONE)

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == snapshot
    assert finding.evidence["toolkit"] == "11.3.109"


@pytest.mark.parametrize("code", [None, 9, 12])
def test_these_errors_mean_that_nobody_is_there(code: int | None) -> None:
    assert judged(IMAGE, CUDA, Gpu(error="-", error_code=code), LINUX)


def test_unknown_is_not_health() -> None:
    verdict = nvidia_driver_missing.run(Facts(CUDA, unknown={"accelerators": "no /sys"}))

    assert verdict.skipped == "accelerators: no /sys"


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(bus("nouveau"), CUDA, LINUX)
    record = json.loads(json.dumps(facts.to_record()))

    again = nvidia_driver_missing.run(Facts.from_record(record))

    assert again == nvidia_driver_missing.run(facts)
    assert again.findings


def test_a_text_that_shows_no_part_of_cuda_but_that_of_torch() -> None:
    told = TorchBuild(version="2.4.0", cuda="12.1", origin="text")

    (finding,) = judged(Accelerators(), told)

    assert finding.severity is Severity.NOTE
    assert "CUDA 12.1" in finding.summary
    assert judged(bus(), told) == []
    assert judged(Accelerators(), CPU) == []
