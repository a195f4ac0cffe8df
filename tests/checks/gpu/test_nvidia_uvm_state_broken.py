"""PDR808 looks at the device files that CUDA must open."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Accelerators, Facts, Gpu, Site, TorchBuild, TorchImport
from pipedoctor_checks.gpu.nvidia_uvm_state_broken import nvidia_uvm_state_broken

TABLES = get_catalogue().tables
BARE = Site(system="linux")
DOCKER = Site(system="linux", container="docker")
CUDA = TorchBuild(version="2.4.0", cuda="12.1")
DRIVER = Gpu(driver="550.54.15")
CONTROL, UVM = "/dev/nvidiactl", "/dev/nvidia-uvm"
UNKNOWN_ERROR = TorchImport(
    ok=True,
    cuda_available=False,
    warnings=("CUDA unknown error - this may be due to an incorrectly set up ...",),
)


def nodes(*names: str, **more: Any) -> Accelerators:
    return Accelerators(nvidia_module="550.54.15", nvidia_nodes=names, **more)


def judged(*facts: Any) -> list[Finding]:
    return list(nvidia_uvm_state_broken.run(Facts(*TABLES, *facts)).findings)


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param((nodes(CONTROL, UVM), DOCKER), id="container with both"),
        pytest.param((nodes(CONTROL), BARE), id="made by the first CUDA program"),
        pytest.param((nodes(), DOCKER), id="container without GPUs"),
        pytest.param((nodes(CONTROL), None), id="nobody knows whether a container"),
        pytest.param(
            (nodes(CONTROL), DOCKER, TorchImport(ok=True, cuda_available=True)),
            id="CUDA works",
        ),
        pytest.param((nodes(CONTROL), DOCKER, TorchBuild(version="2.4.0")), id="CPU build"),
        pytest.param(
            (nodes(), BARE, UNKNOWN_ERROR, Gpu(driver="515.43.04")),
            id="the driver is too old anyway",
        ),
        pytest.param(
            (nodes(UVM, unusable_nodes=("/dev/nvidia0",)), BARE),
            id="one GPU is somebody else's",
        ),
        pytest.param((nodes(UVM), BARE, TorchImport(ok=True, cuda_available=False)), id="no word"),
    ],
)
def test_silent(facts: tuple[Any, ...]) -> None:
    known = [fact for fact in facts if fact is not None]
    torch = [] if any(isinstance(fact, TorchBuild) for fact in known) else [CUDA]

    assert judged(*known, *torch) == []


def test_torchs_words_with_a_driver_that_fits() -> None:
    (finding,) = judged(nodes(CONTROL, UVM), CUDA, DRIVER, UNKNOWN_ERROR, BARE)

    assert finding.severity is Severity.BREAKS
    assert all(remedy.advice for remedy in finding.remedies)
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == ("CUDA does not start (unknown error) although the driver answers")
    assert [remedy.shell for remedy in finding.remedies] == [
        "sudo modprobe -r nvidia_uvm",
        "sudo nvidia-modprobe -c 0 -u",
    ]


def test_container_without_the_file_is_a_risk_until_torch_was_asked(
    snapshot: SnapshotAssertion,
) -> None:
    (finding,) = judged(nodes(CONTROL), CUDA, DRIVER, DOCKER)
    asked = TorchImport(ok=True, cuda_available=False)

    assert finding.severity is Severity.RISKS
    assert finding.summary == snapshot
    assert finding.remedies[0].shell == "docker run --gpus all"
    assert judged(nodes(CONTROL), CUDA, DOCKER, asked)[0].severity is Severity.BREAKS


def test_files_that_this_user_may_not_open(snapshot: SnapshotAssertion) -> None:
    shut = nodes(CONTROL, UVM, unusable_nodes=(UVM, CONTROL, "/dev/nvidia0"))

    (finding,) = judged(shut, CUDA, BARE)

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == snapshot
    assert finding.evidence["unusable"] == [UVM, CONTROL, "/dev/nvidia0"]


def test_without_torch_facts_the_files_still_speak() -> None:
    (finding,) = judged(nodes(CONTROL), DOCKER)

    assert finding.confidence is Confidence.LIKELY


def test_unknown_is_not_health() -> None:
    verdict = nvidia_uvm_state_broken.run(Facts(*TABLES, CUDA, unknown={"accelerators": "macOS"}))

    assert verdict.skipped == "accelerators: macOS"
