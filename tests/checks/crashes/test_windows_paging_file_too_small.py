"""PDR964, from a log: the paging file is too small for the workers."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.windows_paging_file_too_small import windows_paging_file_too_small
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    '  File "C:\\Users\\me\\env\\lib\\site-packages\\torch\\__init__.py", line 123, in '
    "<module>\n"
    "OSError: [WinError 1455] The paging file is too small for this operation to "
    "complete. Error loading "
    '"C:\\Users\\me\\env\\lib\\site-packages\\torch\\lib\\cudnn_cnn_infer64_8.dll" or one of '
    "its dependencies."
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            (
                "OSError: [WinError 126] The specified module could not be found. Error loading "
                '"C:\\Users\\me\\env\\lib\\site-packages\\torch\\lib\\c10.dll" or one of its '
                "dependencies."
            ),
            id="a library that is missing",
        ),
        pytest.param(
            "Out of memory: Killed process 4242 (python) total-vm:61440000kB",
            id="the memory of Linux",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert windows_paging_file_too_small(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = windows_paging_file_too_small(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert (
        finding.summary
        == "Every worker loads the CUDA libraries again, and the paging file is too small for that"
    )
    assert finding.evidence == {"log.line": 1}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str) -> None:
    (finding,) = windows_paging_file_too_small(LOG, PLACES[place])

    assert list_commands(finding) == ["", "DataLoader(..., num_workers=2)"]


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = windows_paging_file_too_small(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = windows_paging_file_too_small.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
