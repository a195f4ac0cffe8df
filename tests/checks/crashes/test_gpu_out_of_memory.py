"""PDR950, from a log: the GPU's memory is full."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.gpu_out_of_memory import gpu_out_of_memory
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    '  File "/me/train.py", line 52, in step\n'
    "    loss.backward()\n"
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 "
    "has a total capacity of 23.68 GiB of which 1.19 GiB is free."
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            (
                "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 2.50 GiB for an "
                "array with shape (1000, 671089)"
            ),
            id="the memory of the host",
        ),
        pytest.param(
            "RuntimeError: CUDA error: device-side assert triggered",
            id="an index that is out of range",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert gpu_out_of_memory(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = gpu_out_of_memory(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "The GPU is out of memory"
    assert finding.evidence == {"log.line": 3, "log.asked": "2.50 GiB"}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = gpu_out_of_memory(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = gpu_out_of_memory(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = gpu_out_of_memory.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
