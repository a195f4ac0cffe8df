"""PDR847: an import of torch that fails on Windows for want of a library."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.facts import Facts, Interpreter, Site, TorchImport
from pipedoctor_checks.libraries.windows_missing_runtime_dll import (
    windows_missing_runtime_dll as check,
)

WINDOWS = Site(system="windows")
NAMED = "OSError: [WinError 126] Error loading fbgemm.dll or one of its dependencies"


def judged(error: str, *, ok: bool = False) -> list[Finding]:
    return check(TorchImport(ok=ok, error=error), WINDOWS, None)


@pytest.mark.parametrize(
    ("error", "ok"),
    [
        pytest.param("", True, id="torch imports"),
        pytest.param(NAMED, True, id="an older error, torch imports"),
        pytest.param("No module named 'torch'", False, id="not installed"),
        pytest.param("RuntimeError: no such operator", False, id="another reason"),
        pytest.param("", False, id="no reason at all"),
    ],
)
def test_silent(error: str, ok: bool) -> None:
    assert judged(error, ok=ok) == []


@pytest.mark.parametrize(
    "error",
    [
        NAMED,
        "ImportError: DLL load failed while importing _C: the module was not found",
        "OSError: libomp140.x86_64.dll not found",
    ],
)
def test_an_error_that_names_a_library(error: str) -> None:
    (finding,) = judged(error)

    assert finding.severity is Severity.RISKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == ("import torch fails on Windows: a library that it needs is missing")
    assert finding.evidence == {"error": error, "python.bits": None}


def test_a_text_that_only_says_that_it_failed(snapshot: SnapshotAssertion) -> None:
    (finding,) = check(
        TorchImport(ok=False, error="PyTorch version: N/A"),
        WINDOWS,
        Interpreter(version="3.11", bits=64),
    )

    assert finding.severity is Severity.NOTE
    assert finding.confidence is Confidence.POSSIBLE
    assert finding.summary == snapshot
    assert finding.evidence["python.bits"] == 64
    (remedy,) = finding.remedies
    assert remedy.advice
    assert remedy.title == snapshot


def test_elsewhere_and_unknown_are_not_judged(snapshot: SnapshotAssertion) -> None:
    failed = TorchImport(ok=False, error=NAMED)

    assert check.run(Facts(failed, Site(system="linux"))).skipped == snapshot
    assert check.run(Facts(failed, unknown={"site": "why"})).skipped == "site: why"
    unknown = Facts(WINDOWS, unknown={"torch_import": "why"})
    assert check.run(unknown).skipped == "torch_import: why"


def test_a_record_gives_the_same_verdict() -> None:
    facts = Facts(WINDOWS, TorchImport(ok=False, error=NAMED))

    assert check.run(Facts.from_record(facts.to_record())) == check.run(facts)
