"""PDR864 notes a Python whose support had ended when the table was checked."""

import pytest

from pipedoctor.check import CannotJudge, Severity
from pipedoctor.facts import Interpreter
from pipedoctor.facts.world_torch import PythonRelease, Pythons
from pipedoctor_checks.environment.python_eol import python_eol


def row(python: str, ends: str) -> PythonRelease:
    return PythonRelease(
        python=python, ends=ends, source="https://example.org", checked="2026-11-21"
    )


TABLE = Pythons(
    rows=(row("3.9", "2025-10-31"), row("3.1", "2026-11-21"), row("3.11", "2026-11-22"))
)


def test_silent() -> None:
    assert python_eol(Interpreter(version="3.11.7"), TABLE) == []


@pytest.mark.parametrize(
    ("version", "summary"),
    [
        ("3.9.18", "Python 3.9 has received no fixes since 2025-10-31"),
        ("3.1", "Python 3.1 has received no fixes since 2026-11-21"),
    ],
)
def test_ended_is_a_note(version: str, summary: str) -> None:
    (finding,) = python_eol(Interpreter(version=version), TABLE)

    assert (finding.severity, finding.summary) == (Severity.NOTE, summary)
    assert finding.evidence["python"] == version


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("3.99.0", r"Python 3\.99\.0 is not in the table"),
        ("", r"Python \(no version\) is not in the table"),
    ],
)
def test_unknown_is_not_health(version: str, reason: str) -> None:
    with pytest.raises(CannotJudge, match=reason):
        python_eol(Interpreter(version=version), TABLE)
