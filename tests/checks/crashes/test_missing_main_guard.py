"""PDR933, from a log: the script starts workers without a main guard."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.missing_main_guard import missing_main_guard
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    '  File "/usr/lib/python3.11/multiprocessing/spawn.py", line 140, in '
    "get_preparation_data\n"
    "RuntimeError:\n"
    "        An attempt has been made to start a new process before the\n"
    "        current process has finished its bootstrapping phase."
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "AttributeError: Can't get local object 'make.<locals>.<lambda>'",
            id="a lambda that cannot be pickled",
        ),
        pytest.param(
            "RuntimeError: DataLoader worker (pid 71) is killed by signal: Killed.",
            id="a worker that was killed",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert missing_main_guard(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = missing_main_guard(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == (
        "Every worker imports the script again, and importing the script starts workers"
    )
    assert finding.evidence == {"log.line": 3}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = missing_main_guard(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = missing_main_guard(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = missing_main_guard.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
