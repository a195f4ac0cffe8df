"""PDR939, from a log: an HDF5 file handle is shared with workers."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.hdf5_handle_shared_across_fork import hdf5_handle_shared_across_fork
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    '  File "/me/cells.py", line 22, in __getitem__\n'
    '    return self.file["images"][index]\n'
    "OSError: Caught OSError in DataLoader worker process 1.\n"
    "OSError: Can't read data (wrong B-tree signature)"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            (
                "FileNotFoundError: [Errno 2] Unable to synchronously open file (unable to open "
                "file: name = '/data/cells.h5', errno = 2)"
            ),
            id="a file that is not there",
        ),
        pytest.param(
            "KeyError: \"Unable to synchronously open object (object 'images' doesn't exist)\"",
            id="a name that is not in the file",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert hdf5_handle_shared_across_fork(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = hdf5_handle_shared_across_fork(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert (
        finding.summary
        == "An HDF5 file that the parent opened is read by several workers through one handle"
    )
    assert finding.evidence == {"log.line": 2, "log.attr": "file"}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = hdf5_handle_shared_across_fork(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = hdf5_handle_shared_across_fork(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = hdf5_handle_shared_across_fork.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
