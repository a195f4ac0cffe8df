"""PDR807 speaks where versions are not the reason, and reads CUDA's error numbers."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import (
    Accelerators,
    Device,
    Facts,
    Gpu,
    Interpreter,
    Site,
    TorchBuild,
    TorchImport,
)
from pipedoctor_checks.gpu.cuda_unavailable_despite_fitting_driver import (
    cuda_unavailable_despite_fitting_driver as check,
)

TABLES = get_catalogue().tables
LINUX = Site(system="linux")
TORCH = TorchBuild(version="1.4.0", cuda="10.0")
TITANS = tuple(Device(index=i, name="TITAN Xp") for i in range(2))
FITS = Gpu(driver="410.129", devices=TITANS)
NO = TorchImport(ok=True, cuda_available=False)


def judged(*facts: Any) -> list[Finding]:
    return list(check.run(Facts(*TABLES, *facts)).findings)


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param((TORCH, FITS, TorchImport(ok=True)), id="not asked"),
        pytest.param((TORCH, FITS, TorchImport(ok=True, cuda_available=True)), id="available"),
        pytest.param((TorchBuild(version="1.4.0"), FITS, NO), id="CPU build"),
        pytest.param((TORCH, Gpu(driver="410.129"), NO), id="no GPU listed"),
        pytest.param((TORCH, Gpu(driver="410.47", devices=TITANS), NO), id="too old"),
        pytest.param((TORCH, Gpu(devices=TITANS), NO), id="driver not known"),
        pytest.param(
            (
                TORCH,
                FITS,
                TorchImport(
                    ok=True,
                    cuda_available=False,
                    cuda_error="The NVIDIA driver on your system is too old (found version 9010)",
                ),
            ),
            id="torch calls the driver too old",
        ),
    ],
)
def test_silent(facts: tuple[Any, ...]) -> None:
    assert judged(*facts, LINUX) == []


def test_everything_fits_and_yet(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(TORCH, Gpu(driver="410.48", devices=TITANS), NO, LINUX)

    assert finding.severity is Severity.BREAKS
    assert all(remedy.advice for remedy in finding.remedies)
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "CUDA is not available, although 2 x TITAN Xp, driver 410.48 and CUDA 10.0 are compatible"
    )
    assert finding.evidence == {"cuda_error": "", "gpu.driver": "410.48"}
    assert finding.remedies[0].title == snapshot
    (other,) = judged(TORCH, FITS, NO, LINUX, Interpreter(executable="/env/bin/python"))
    assert other.remedies[0].argv[0] == "/env/bin/python"


@pytest.mark.parametrize(
    ("number", "reason", "shell"),
    [
        ("802", "fabric manager", "sudo systemctl enable --now nvidia-fabricmanager"),
        ("803", "does not belong to this driver", ""),
        ("804", "which this GPU does not support", ""),
    ],
)
def test_cudas_number_tells_the_reason(number: str, reason: str, shell: str) -> None:
    error = f"Unexpected error from cudaGetDeviceCount(). Error {number}: something"
    said = TorchImport(ok=True, cuda_available=False, warnings=(error,))

    (finding,) = judged(TORCH, FITS, said, LINUX)

    assert reason in finding.summary
    assert finding.confidence is Confidence.CERTAIN
    assert finding.remedies[0].shell == shell
    assert not finding.remedies[0].automatic


def test_a_note_where_another_check_knows_the_reason() -> None:
    said = TorchImport(
        ok=True,
        cuda_available=False,
        warnings=("CUDA unknown error - this may be due to",),
    )

    (known,) = judged(TORCH, FITS, said, LINUX, Accelerators())
    (alone,) = judged(TORCH, FITS, said, LINUX)
    (other,) = judged(TORCH, FITS, NO, LINUX, Accelerators())

    assert known.severity is Severity.NOTE
    assert alone.severity is other.severity is Severity.BREAKS


def test_unknown_is_not_health() -> None:
    verdict = check.run(Facts(*TABLES, TORCH, FITS, unknown={"torch_import": "--quick"}))

    assert verdict.skipped == "torch_import: --quick"
