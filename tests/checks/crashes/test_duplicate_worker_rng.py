"""PDR944, from a log: workers draw the same random numbers."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.duplicate_worker_rng import duplicate_worker_rng
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "worker 0: augmentation seeds [44, 47, 64]\n"
    "worker 1: augmentation seeds [44, 47, 64]\n"
    "num_workers=2: all workers draw the same random numbers"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            ("worker 0: augmentation seeds [44, 47, 64]\nworker 1: augmentation seeds [9, 83, 21]"),
            id="workers that differ",
        ),
        pytest.param(
            "the same seed gives other losses in each run",
            id="runs that differ",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert duplicate_worker_rng(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = duplicate_worker_rng(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert (
        finding.summary
        == "A random generator created before the fork has the same state in every worker"
    )
    assert finding.evidence == {
        "log.line": 2,
        "log.key": "1",
        "log.tail": ": augmentation seeds [44, 47, 64]",
    }


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = duplicate_worker_rng(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = duplicate_worker_rng(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = duplicate_worker_rng.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
