"""PDR943, from a log: persistent workers do not see the new epoch."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.stale_epoch_in_persistent_workers import (
    stale_epoch_in_persistent_workers,
)
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text("persistent_workers=True\nmain: current_epoch = 4, worker: current_epoch = 0")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "main: current_epoch = 4, worker: current_epoch = 4",
            id="an epoch that arrives",
        ),
        pytest.param(
            "resuming: current_epoch = 4",
            id="an epoch of the checkpoint",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert stale_epoch_in_persistent_workers(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = stale_epoch_in_persistent_workers(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert (
        finding.summary
        == "The workers' copies of the dataset keep the epoch at which they were started"
    )
    assert finding.evidence == {"log.line": 1}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str) -> None:
    (finding,) = stale_epoch_in_persistent_workers(LOG, PLACES[place])

    assert list_commands(finding) == [
        "self.epoch = torch.zeros((), dtype=torch.int64).share_memory_()",
        "DataLoader(..., persistent_workers=False)",
    ]


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = stale_epoch_in_persistent_workers(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = stale_epoch_in_persistent_workers.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
