"""PDR955, from a log: no library decodes this audio or video."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.media_decoder_library_missing import media_decoder_library_missing
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "  File "
    '"/env/lib/python3.11/site-packages/torchcodec/_internally_replaced_utils.py", '
    "line 72, in load_torchcodec_shared_libraries\n"
    "RuntimeError: Could not load libtorchcodec. Likely causes:"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "soundfile.LibsndfileError: Error opening '/data/7.wav': Format not recognised.",
            id="an audio file that is damaged",
        ),
        pytest.param(
            ("ImportError: libGL.so.1: cannot open shared object file: No such file or directory"),
            id="another library",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert media_decoder_library_missing(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = media_decoder_library_missing(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert (
        finding.summary == "FFmpeg or libsndfile is missing, or torchcodec does not fit this torch"
    )
    assert finding.evidence == {"log.line": 2}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = media_decoder_library_missing(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = media_decoder_library_missing(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = media_decoder_library_missing.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
