"""PDR956, from a log: an image file is damaged."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.corrupt_image_file import corrupt_image_file
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "OSError: Caught OSError in DataLoader worker process 2.\n"
    '  File "/me/photos.py", line 31, in __getitem__\n'
    '    return Image.open(self.paths[index]).convert("RGB")\n'
    "OSError: image file is truncated (12 bytes not processed)"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "FileNotFoundError: [Errno 2] No such file or directory: '/data/7.jpg'",
            id="an image that is not there",
        ),
        pytest.param(
            (
                "PIL.Image.DecompressionBombError: Image size (400000000 pixels) exceeds limit "
                "of 178956970 pixels, could be decompression bomb DOS attack."
            ),
            id="an image that is too large",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert corrupt_image_file(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = corrupt_image_file(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "A file of the dataset is truncated, damaged, or not an image"
    assert finding.evidence == {"log.line": 4, "log.left": "12"}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = corrupt_image_file(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = corrupt_image_file(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = corrupt_image_file.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
