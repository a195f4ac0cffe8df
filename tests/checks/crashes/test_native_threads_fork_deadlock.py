"""PDR936, from a log: a worker waits for threads that did not survive the fork."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.native_threads_fork_deadlock import native_threads_fork_deadlock
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "num_workers=2: it stands still after the first batch, cv2.resize never returns\n"
    "with cv2.setNumThreads(0) it works"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "RuntimeError: DataLoader timed out after 120 seconds",
            id="a worker that is only slow",
        ),
        pytest.param(
            "libgomp: Thread creation failed: Resource temporarily unavailable",
            id="threads that are too many",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert native_threads_fork_deadlock(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = native_threads_fork_deadlock(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == (
        "The parent's pool of native threads is missing in the forked worker, "
        "which waits for it forever"
    )
    assert finding.evidence == {"log.line": 1}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str) -> None:
    (finding,) = native_threads_fork_deadlock(LOG, PLACES[place])

    assert list_commands(finding) == [
        ("cv2.setNumThreads(0)\ntorch.set_num_threads(1)"),
        'DataLoader(..., multiprocessing_context="forkserver")',
    ]


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = native_threads_fork_deadlock(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = native_threads_fork_deadlock.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
