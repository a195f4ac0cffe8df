"""PDR954, from a log: the code uses names that Pillow removed."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.pillow_api_removed import pillow_api_removed
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "  File "
    '"/env/lib/python3.11/site-packages/torchvision/transforms/functional.py", line '
    "5, in <module>\n"
    "ImportError: cannot import name 'PILLOW_VERSION' from 'PIL' "
    "(/env/lib/python3.11/site-packages/PIL/__init__.py)"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "ModuleNotFoundError: No module named 'PIL'",
            id="a Pillow that is missing",
        ),
        pytest.param(
            (
                "ImportError: cannot import name '_imaging' from 'PIL' "
                "(/env/lib/python3.11/site-packages/PIL/__init__.py)"
            ),
            id="a Pillow that is broken",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert pillow_api_removed(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = pillow_api_removed(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "The code or a library uses a name that this Pillow no longer has"
    assert finding.evidence == {"log.line": 2, "log.name": "PILLOW_VERSION"}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = pillow_api_removed(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = pillow_api_removed(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = pillow_api_removed.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"


OWN = '  File "/home/me/data.py", line 12, in resize\n    im.resize((9, 9), Image.ANTIALIAS)\n'
LIBRARY = '  File "/x/site-packages/easyocr/utils.py", line 574, in compute_ratio\n'
NO_ANTIALIAS = "AttributeError: module 'PIL.Image' has no attribute 'ANTIALIAS'"
NO_RESAMPLING = "AttributeError: module 'PIL.Image' has no attribute 'Resampling'"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (OWN + NO_ANTIALIAS, "Image.LANCZOS  # instead of ANTIALIAS"),
        (OWN + LIBRARY + NO_ANTIALIAS, "python -m pip install --upgrade easyocr"),
        (OWN + NO_RESAMPLING, "python -m pip install --upgrade 'pillow>=9.1'"),
    ],
    ids=["own code", "a library", "a name that this Pillow does not have yet"],
)
def test_who_uses_the_name_is_changed(text: str, command: str) -> None:
    (finding,) = pillow_api_removed(diagnose_text("Traceback:\n" + text), None)

    assert list_commands(finding)[0] == command
