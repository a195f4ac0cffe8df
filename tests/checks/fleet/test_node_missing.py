"""PDR784: nodes that should have reported and did not."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import CannotJudge, Severity
from pipedoctor.facts.fleet import Fleet
from pipedoctor_checks.fleet.node_missing import node_missing


@pytest.mark.parametrize(
    "fleet",
    [
        pytest.param(Fleet(expected=3, reported=3), id="as many as expected"),
        pytest.param(Fleet(expected=3, reported=4), id="one more"),
        pytest.param(Fleet(expected=2, reported=2, missing=()), id="all by name"),
    ],
)
def test_it_is_silent(fleet: Fleet) -> None:
    assert node_missing(fleet) == []


def test_a_number_has_no_names() -> None:
    (finding,) = node_missing(Fleet(expected=3, reported=2))

    assert finding.severity is Severity.RISKS
    assert finding.summary == "1 node of 3 did not report"
    assert finding.evidence == {"missing": [], "count": 1}


def test_names_are_named(snapshot: SnapshotAssertion) -> None:
    (finding,) = node_missing(Fleet(expected=3, reported=9, missing=("a", "b")))

    assert finding.summary == snapshot
    assert finding.evidence == {"missing": ["a", "b"], "count": 2}


def test_nobody_expected_is_not_judged() -> None:
    with pytest.raises(CannotJudge, match="no --expect given"):
        node_missing(Fleet(reported=2))
