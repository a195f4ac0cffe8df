"""PDR951, from a log: a cuDNN library is not found."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.cudnn_library_not_found import cudnn_library_not_found
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    '  File "/me/train.py", line 31, in step\n'
    "Could not load library libcudnn_cnn_infer.so.8. Error: libcudnn_cnn_infer.so.8: "
    "cannot open shared object file: No such file or directory"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            ("ImportError: libGL.so.1: cannot open shared object file: No such file or directory"),
            id="another library",
        ),
        pytest.param(
            (
                "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (9, "
                "1, 0) but found runtime version (8, 9, 2)."
            ),
            id="an older cuDNN",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert cudnn_library_not_found(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = cudnn_library_not_found(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "A cuDNN library that the program needs is not on the loader's path"
    assert finding.evidence == {
        "log.line": 2,
        "log.library": "libcudnn_cnn_infer.so.8",
        "log.major": "8",
    }


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = cudnn_library_not_found(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = cudnn_library_not_found(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = cudnn_library_not_found.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
