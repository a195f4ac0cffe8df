"""PDR837 speaks of numpy 2 under a torch for numpy 1."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import CannotJudge, Finding, Severity
from pipedoctor.facts import (
    Bound,
    Distribution,
    Interpreter,
    Packages,
    Requirements,
    Site,
    TorchBuild,
    TorchImport,
)
from pipedoctor_checks.libraries.numpy2_abi_mismatch import numpy2_abi_mismatch

LINUX, WINDOWS = Site(system="linux"), Site(system="windows")
SAID = "UserWarning: Failed to initialize NumPy: _ARRAY_API not found"


def judge(numpy: str, torch: str, site: Site | None = LINUX, said: str = "") -> list[Finding]:
    entries = (Distribution(name="numpy", version=numpy),) if numpy else ()
    return numpy2_abi_mismatch(
        Packages(entries=entries),
        TorchBuild(version=torch) if torch else None,
        TorchImport(ok=True, warnings=(said,)) if said else None,
        site,
        Interpreter(executable="python3"),
    )


@pytest.mark.parametrize(
    "findings",
    [
        pytest.param(judge("1.26.4", "2.2.2"), id="numpy 1"),
        pytest.param(judge("2.0.0", "2.3.0"), id="first torch that knows numpy 2"),
        pytest.param(judge("2.0.0", "2.4.1", WINDOWS), id="the same on Windows"),
        pytest.param(judge("2.1", "nightly"), id="a torch of no known version"),
        pytest.param(judge("2.1", "2.9", said="UserWarning: other"), id="other warning"),
        pytest.param(judge("2.1", "2.3.0", None), id="unknown system"),
    ],
)
def test_silent(findings: list[Finding]) -> None:
    assert findings == []


@pytest.mark.parametrize(("numpy", "torch"), [("", "2.2.2"), ("2.1", "")])
def test_half_of_the_pair_is_not_health(numpy: str, torch: str) -> None:
    with pytest.raises(CannotJudge, match="not known"):
        judge(numpy, torch)


@pytest.mark.parametrize(
    ("torch", "site"), [("2.2.2", LINUX), ("1.13.1", None), ("2.4.0", WINDOWS)]
)
def test_older_torch_breaks(torch: str, site: Site | None) -> None:
    (finding,) = judge("2.0.0", torch, site)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == (f"numpy 2.0.0 is installed, but torch {torch} was built for numpy 1")
    assert [remedy.shell for remedy in finding.remedies] == [
        "python3 -m pip install 'numpy<2'",
        "python3 -m pip install 'torch>=2.4.1'",
    ]


def test_torch_says_so_itself(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge("", "", said=SAID)

    assert finding.summary == snapshot
    assert finding.evidence == {"numpy": "", "said": [SAID]}


def test_whoever_excludes_the_other_version_changes_with_it() -> None:
    packages = Packages(entries=(Distribution(name="numpy", version="2.2.6"),))
    bounds = (
        Bound(owner="opencv-python", name="numpy", specifier=">=2,<2.3"),
        Bound(owner="scipy", name="numpy", specifier=">=1.23,<2.3"),
        Bound(owner="torchvision", name="torch", specifier="==2.0.1"),
    )
    requirements, torch = Requirements(bounds=bounds), TorchBuild(version="2.0.1")

    (finding,) = numpy2_abi_mismatch(packages, torch, None, LINUX, None, requirements)

    assert [remedy.shell for remedy in finding.remedies] == [
        "python -m pip install 'numpy<2' opencv-python",
        "python -m pip install 'torch>=2.4.1' torchvision",
    ]
