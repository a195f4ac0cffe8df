"""PDR937, from a log: a worker does not return from a sample."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.worker_stuck_in_transform import worker_stuck_in_transform
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    '  File "/env/lib/python3.11/site-packages/torch/utils/data/dataloader.py", line '
    "1133, in _try_get_data\n"
    "RuntimeError: DataLoader timed out after 120 seconds"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            (
                "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1512, "
                "OpType=ALLREDUCE) ran for 600029 milliseconds before timing out."
            ),
            id="a collective that waits",
        ),
        pytest.param(
            "urllib.error.URLError: <urlopen error timed out>",
            id="a download that waits",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert worker_stuck_in_transform(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = worker_stuck_in_transform(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert (
        finding.summary
        == "Code of the dataset or a transform takes longer than the timeout, or never returns"
    )
    assert finding.evidence == {"log.line": 1, "log.seconds": "120"}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str) -> None:
    (finding,) = worker_stuck_in_transform(LOG, PLACES[place])

    assert list_commands(finding) == [
        "dataset[index]  # with num_workers=0",
        "DataLoader(..., timeout=120)",
    ]


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = worker_stuck_in_transform(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = worker_stuck_in_transform.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
