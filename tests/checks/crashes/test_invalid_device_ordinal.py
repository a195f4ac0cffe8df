"""PDR949, from a log: a GPU is asked for that is not visible."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.invalid_device_ordinal import invalid_device_ordinal
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    '[rank3]:   File "/me/train.py", line 12, in main\n'
    "[rank3]:     torch.cuda.set_device(local_rank)\n"
    "[rank3]: RuntimeError: CUDA error: invalid device ordinal"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "RuntimeError: No CUDA GPUs are available",
            id="no GPU at all",
        ),
        pytest.param(
            ("RuntimeError: CUDA error: no kernel image is available for execution on the device"),
            id="a kernel that is not in the build",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert invalid_device_ordinal(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = invalid_device_ordinal(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "The code requests a GPU that this process does not see"
    assert finding.evidence == {"log.line": 3}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = invalid_device_ordinal(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = invalid_device_ordinal(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = invalid_device_ordinal.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
