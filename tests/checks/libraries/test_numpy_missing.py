"""PDR838 speaks of a torch without numpy."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import CannotJudge, Finding, Severity
from pipedoctor.facts import (
    Distribution,
    Facts,
    Interpreter,
    Packages,
    TorchBuild,
    TorchImport,
)
from pipedoctor_checks.libraries.numpy_missing import numpy_missing

TORCH = TorchBuild(version="2.13.0")
SAID = "UserWarning: Failed to initialize NumPy: No module named 'numpy'"


def judge(*names: str, complete: bool = True, said: str = "") -> list[Finding]:
    entries = tuple(Distribution(name=name, version="2") for name in names)
    imported = TorchImport(ok=True, warnings=(said,)) if said else None
    return numpy_missing(
        TORCH, Packages(entries=entries, complete=complete), imported, Interpreter()
    )


@pytest.mark.parametrize(
    "findings",
    [
        pytest.param(judge("numpy"), id="there"),
        pytest.param(judge("numpy", complete=False), id="in an excerpt"),
        pytest.param(judge("numpy", said="UserWarning: other"), id="other warning"),
    ],
)
def test_silent(findings: list[Finding]) -> None:
    assert findings == []


@pytest.mark.parametrize("findings", [judge("pillow"), judge(complete=False, said=SAID)])
def test_absent_or_said_so(findings: list[Finding]) -> None:
    (finding,) = findings

    assert finding.severity is Severity.RISKS
    assert finding.summary == "torch 2.13.0 has no numpy: tensor.numpy() will fail"
    assert finding.remedies[0].shell == "python -m pip install numpy"


def test_excerpt_that_lacks_it_proves_nothing(snapshot: SnapshotAssertion) -> None:
    with pytest.raises(CannotJudge, match="whether numpy is installed is not known"):
        judge("pillow", complete=False)

    facts = Facts(TORCH, unknown={"packages": "not in this text"})
    assert numpy_missing.run(facts).skipped == snapshot


def test_without_torch_nothing_is_judged() -> None:
    facts = Facts(Packages(), unknown={"torch": "torch is not installed in /usr"})

    assert numpy_missing.run(facts).skipped == "torch: torch is not installed in /usr"


def test_an_old_torch_gets_a_numpy_that_it_knows() -> None:
    old = TorchBuild(version="2.1.0")

    (finding,) = numpy_missing(old, Packages(entries=(), complete=True), None, None)

    assert finding.remedies[0].shell == "python -m pip install 'numpy<2'"
