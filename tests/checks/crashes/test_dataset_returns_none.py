"""PDR942, from a log: the dataset returns None."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.dataset_returns_none import dataset_returns_none
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    '  File "/env/lib/python3.11/site-packages/torch/utils/data/_utils/collate.py", '
    "line 240, in collate\n"
    "TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, "
    "dicts or lists; found <class 'NoneType'>"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            (
                "TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, "
                "dicts or lists; found <class 'PIL.Image.Image'>"
            ),
            id="a type that cannot be stacked",
        ),
        pytest.param(
            "AttributeError: 'NoneType' object has no attribute 'backward'",
            id="a None of the model",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert dataset_returns_none(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = dataset_returns_none(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "Dataset[i] is None for some i, often after a failed read"
    assert finding.evidence == {"log.line": 2}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = dataset_returns_none(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = dataset_returns_none(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = dataset_returns_none.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
