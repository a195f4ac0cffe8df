"""PDR832 pairs torchaudio with torch as they were released."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Distribution, Facts, Packages, TorchBuild
from pipedoctor_checks.torch.torch_torchaudio_mismatch import torch_torchaudio_mismatch

TABLES = get_catalogue().tables


def pair(torch: str, torchaudio: str) -> tuple[TorchBuild, Packages]:
    copy = Distribution(name="torchaudio", version=torchaudio)
    return TorchBuild(version=torch), Packages(entries=(copy,))


def judged(*facts: Any) -> list[Finding]:
    return list(torch_torchaudio_mismatch.run(Facts(*TABLES, *facts)).findings)


@pytest.mark.parametrize(
    ("torch", "torchaudio"),
    [
        pytest.param("2.10.0", "2.10.0", id="pair"),
        pytest.param("2.0.1", "2.0.2", id="a pair of other numbers"),
        pytest.param("2.14.0", "2.11.0", id="stable ABI"),
        pytest.param("1.10.0.dev20210901", "0.10.0a0", id="nightly"),
        pytest.param("1.3.1", "0.3.2", id="row that nobody confirmed"),
        pytest.param("1.8.0", "0.3.1", id="such a row makes no error"),
        pytest.param("1.10.2", "0.10.2", id="patch level not listed"),
    ],
)
def test_silent(torch: str, torchaudio: str) -> None:
    assert judged(*pair(torch, torchaudio)) == []


def test_a_source_build_beside_an_older_release_breaks() -> None:
    (finding,) = judged(*pair("1.4.0a0", "0.3.0"))

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "torchaudio 0.3.0 was built for torch 1.2, but torch 1.4.0a0 is installed"
    )


def test_another_release_breaks() -> None:
    (finding,) = judged(*pair("2.10.0", "2.9.1"))

    assert finding.severity is Severity.BREAKS
    assert finding.remedies[0].shell == "python -m pip install torchaudio==2.10.0"


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    verdict = torch_torchaudio_mismatch.run(Facts(*TABLES, TorchBuild(version="2.10.0")))

    assert verdict.skipped == snapshot
