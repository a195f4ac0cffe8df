"""PDR817 notes forward compatibility, and is never more than a note."""

from typing import Any

import pytest

from pipedoctor.check import Finding, Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Facts, Gpu, Site, TorchBuild, TorchImport
from pipedoctor_checks.gpu.driver_below_minimum_but_cuda_available import (
    driver_below_minimum_but_cuda_available as check,
)

TABLES = get_catalogue().tables
LINUX = Site(system="linux")
TORCH = TorchBuild(version="2.4.0", local="cu121", cuda="12.1")
WORKS = TorchImport(ok=True, cuda_available=True)


def judged(*facts: Any) -> list[Finding]:
    return list(check.run(Facts(*TABLES, *facts)).findings)


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param((TORCH, WORKS, Gpu(driver="525.60.13")), id="just new enough"),
        pytest.param((TORCH, WORKS, Gpu()), id="driver not collected"),
        pytest.param(
            (TORCH, TorchImport(ok=True, cuda_available=False), Gpu(driver="470.1")),
            id="not available",
        ),
        pytest.param((TorchBuild(version="2.4.0"), WORKS, Gpu(driver="470.1")), id="CPU build"),
        pytest.param(
            (TorchBuild(version="9.0", cuda="19.0"), WORKS, Gpu(driver="470.1")),
            id="newer than the tables",
        ),
    ],
)
def test_silent(facts: tuple[Any, ...]) -> None:
    assert judged(*facts, LINUX) == []


def test_old_driver_that_works_is_a_note() -> None:
    (finding,) = judged(TORCH, WORKS, Gpu(driver="470.129.06"), LINUX)

    assert finding.severity is Severity.NOTE
    assert finding.summary == (
        "CUDA 12.1 works although driver 470.129.06 is older than 525.60.13: forward compatibility"
    )
    assert finding.evidence == {"gpu.driver": "470.129.06", "minimum": "525.60.13"}


def test_windows_has_its_own_numbers() -> None:
    windows = Site(system="windows")

    assert judged(TORCH, WORKS, Gpu(driver="527.40"), windows) != []
    assert judged(TORCH, WORKS, Gpu(driver="527.41"), windows) == []


def test_unknown_is_not_health() -> None:
    verdict = check.run(Facts(*TABLES, TORCH, WORKS, unknown={"gpu": "no library"}))

    assert verdict.skipped == "gpu: no library"
