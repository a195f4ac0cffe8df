"""PDR862 speaks of requirements that are not met, loudly where it matters."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Interpreter, Missing, Requirements
from pipedoctor_checks.environment.broken_requirements import broken_requirements

PLACE = Interpreter(executable="/usr/bin/python3", externally_managed=True)


def lacking(*unmet: tuple[str, str, str]) -> Requirements:
    return Requirements(
        unmet=tuple(
            Missing(owner=owner, requirement=wanted, found=found) for owner, wanted, found in unmet
        )
    )


def test_silent() -> None:
    assert broken_requirements(lacking(), PLACE) == []


@pytest.mark.parametrize(
    "row",
    [
        ("torchvision", "six>=2", "1.17"),
        ("timm", "numpy<2", "2.4.6"),
        ("timm", "torch", ""),
    ],
)
def test_where_a_pipeline_stands_on_it_it_is_a_risk(row: tuple[str, str, str]) -> None:
    (finding,) = broken_requirements(lacking(row), PLACE)

    assert finding.severity is Severity.RISKS


@pytest.mark.parametrize("wanted", ["torchmetrics>=1", "six>=2"])
def test_elsewhere_it_is_a_note(wanted: str) -> None:
    (finding,) = broken_requirements(lacking(("flask", wanted, "0.1")), PLACE)

    assert finding.severity is Severity.NOTE
    assert finding.summary == f"flask needs {wanted}, 0.1 is installed"


def test_grave_ones_first_and_all_are_installed(snapshot: SnapshotAssertion) -> None:
    minor = [(f"web{number}", "six>=2", "1.17") for number in range(3)]

    (finding,) = broken_requirements(lacking(*minor, ("timm", "torch>=2", "")), PLACE)

    assert finding.summary == snapshot
    assert len(finding.evidence["unmet"]) == 4
    (remedy,) = finding.remedies
    assert remedy.shell == "python -m pip install 'torch>=2' 'six>=2'"
    assert remedy.title == snapshot
