"""PDR940, from a log: the pin-memory thread ends at the second epoch (torch 1.7)."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.pin_memory_persistent_workers_bug_1_7 import (
    pin_memory_persistent_workers_bug_1_7,
)
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "Exception in thread Thread-5:\n"
    "  File "
    '"/env/lib/python3.8/site-packages/torch/utils/data/_utils/pin_memory.py", line '
    "28, in _pin_memory_loop\n"
    "ValueError: not enough values to unpack (expected 2, got 0)"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            (
                '  File "/me/train.py", line 9, in main\n'
                "ValueError: not enough values to unpack (expected 2, got 0)"
            ),
            id="values of the script",
        ),
        pytest.param(
            (
                "RuntimeError: cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be "
                "pinned"
            ),
            id="memory that cannot be pinned",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert pin_memory_persistent_workers_bug_1_7(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = pin_memory_persistent_workers_bug_1_7(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "Torch 1.7 cannot combine pin_memory with persistent_workers"
    assert finding.evidence == {"log.line": 1}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str) -> None:
    (finding,) = pin_memory_persistent_workers_bug_1_7(LOG, PLACES[place])

    assert list_commands(finding) == [
        "python -m pip install --upgrade 'torch>=1.8'",
        "DataLoader(..., pin_memory=True, persistent_workers=False)",
    ]


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = pin_memory_persistent_workers_bug_1_7(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = pin_memory_persistent_workers_bug_1_7.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
