"""PDR934, from a log: an object that workers need cannot be pickled."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.unpicklable_object_spawn import unpicklable_object_spawn
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    '  File "/usr/lib/python3.11/multiprocessing/reduction.py", line 60, in dump\n'
    "    ForkingPickler(file, protocol).dump(obj)\n"
    "AttributeError: Can't pickle local object 'make.<locals>.<lambda>'"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            (
                '  File "/me/data.py", line 7, in __getitem__\n'
                "AttributeError: 'Photos' object has no attribute 'paths'"
            ),
            id="an attribute that is missing",
        ),
        pytest.param(
            "_pickle.UnpicklingError: pickle data was truncated",
            id="a pickle that is cut off",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert unpicklable_object_spawn(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = unpicklable_object_spawn(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == (
        "The dataset, a transform or collate_fn holds something that cannot be pickled "
        "for the workers"
    )
    assert finding.evidence == {"log.line": 2, "log.object": "make.<locals>.<lambda>"}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = unpicklable_object_spawn(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = unpicklable_object_spawn(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = unpicklable_object_spawn.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
