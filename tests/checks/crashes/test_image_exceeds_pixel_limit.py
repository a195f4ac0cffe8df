"""PDR957, from a log: an image is larger than Pillow's limit."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.image_exceeds_pixel_limit import image_exceeds_pixel_limit
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    '  File "/env/lib/python3.11/site-packages/PIL/Image.py", line 3281, in '
    "_decompression_bomb_check\n"
    "PIL.Image.DecompressionBombError: Image size (400000000 pixels) exceeds limit "
    "of 178956970 pixels, could be decompression bomb DOS attack."
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "OSError: image file is truncated (12 bytes not processed)",
            id="an image that is cut off",
        ),
        pytest.param(
            ("MemoryError: Unable to allocate 1.12 GiB for an array with shape (20000, 20000, 3)"),
            id="an image that does not fit in memory",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert image_exceeds_pixel_limit(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = image_exceeds_pixel_limit(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == (
        "An image has more pixels than Pillow's limit against decompression bombs allows"
    )
    assert finding.evidence == {"log.line": 2, "log.pixels": "400000000"}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = image_exceeds_pixel_limit(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = image_exceeds_pixel_limit(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = image_exceeds_pixel_limit.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
