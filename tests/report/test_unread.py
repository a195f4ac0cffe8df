"""Files that were not read as code: every format that people read says so."""

import json
from collections.abc import Callable

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.report import (
    github,
    html,
    markdown,
    sarif,
    sentences,
    text,
    ticket,
)
from pipedoctor.report.model import Report, ReportedFacts, SkippedCheck
from pipedoctor.runtime.probe import NEVER_STARTED


def _report(report: Report, *skipped: tuple[str, str]) -> Report:
    files = [{"path": path, "reason": reason} for path, reason in skipped]
    known = {**report.facts.known, "source": {"files": 1, "skipped": files}}
    return replace(report, facts=ReportedFacts(known=known, unknown={}))


@pytest.fixture
def one(well: Report) -> Report:
    return _report(well, ("src/a.py", "line 3: invalid syntax"))


SAID = "1 file of code was not read: src/a.py: line 3: invalid syntax.\n"


def test_a_terminal(one: Report) -> None:
    assert text.render(one).endswith(f"\n\n{SAID}1 healthy.\n")


def _ticket(report: Report) -> str:
    return ticket.render(report, "")


@pytest.mark.parametrize("render", [markdown.render, _ticket])
def test_a_ticket(one: Report, render: Callable[[Report], str]) -> None:
    assert f"\n\n{SAID}\n" in render(one)


def test_a_page(one: Report) -> None:
    said = "src/a.py was not read as code: line 3: invalid syntax"
    assert f'<p class="broken">{said}</p>' in html.render(one)


def test_a_workflow(one: Report) -> None:
    assert github.render(one) == (
        b"::warning file=src/a.py,title=not read::line 3: invalid syntax\n"
    )


def test_code_scanning(one: Report) -> None:
    (run,) = json.loads(sarif.render(one, {}, 0))["runs"]
    (said,) = run["invocations"][0]["toolExecutionNotifications"]

    assert said == {
        "level": "warning",
        "message": {"text": "src/a.py was not read as code: line 3: invalid syntax"},
    }


def test_of_many_the_first_are_named_and_all_if_asked_for(
    well: Report, snapshot: SnapshotAssertion
) -> None:
    report = _report(well, *((f"{name}.py", "no") for name in "abcde"))

    few = "5 files of code were not read: a.py: no; b.py: no; c.py: no; 2 more.\n"
    assert few in text.render(report)
    assert text.render(report, detail="full") == snapshot


def test_where_all_was_read_nothing_is_said(well: Report) -> None:
    assert sentences.describe_unread(well, 3) == "", "no PATHS"
    assert sentences.describe_unread(_report(well), 3) == ""


def test_paths_without_code_are_named(well: Report) -> None:
    known = {**well.facts.known, "source": {"files": 0}}
    report = replace(well, facts=ReportedFacts(known=known, unknown={}))

    said = "\n\nPATHS hold no code that uses torch.\n1 healthy.\n"
    assert text.render(report).endswith(said)


def test_a_name_is_not_obeyed(well: Report) -> None:
    report = _report(well, ("a\x1b[31m\n::error::\u202e.py", "<b>\x9b"))
    shown = (text.render(report), markdown.render(report), github.render(report))

    for said in (each if isinstance(each, str) else each.decode() for each in shown):
        assert not any(odd in said for odd in "\x1b\x9b\u202e")
        assert "\n::error" not in said
    assert "<b>\\x9b" not in html.render(report)


@pytest.mark.parametrize(
    ("reasons", "sentence"),
    [
        ((NEVER_STARTED,) * 3, "no problems found by 1 check; 3 could not be judged in time"),
        (("no answer after 3.0 s", NEVER_STARTED), "no problems found by 1 check; 2 could not"),
        (("libnvidia-ml.so.1 not found",) * 3, "no problems found"),
        ((NEVER_STARTED,), "no problems found"),
    ],
)
def test_a_deadline_that_passed_is_no_health(
    well: Report, reasons: tuple[str, ...], sentence: str
) -> None:
    skipped = tuple(
        SkippedCheck(code=f"PDR9{i}", name="x", reason=r) for i, r in enumerate(reasons)
    )
    report = replace(well, healthy=("PDR711",), skipped=skipped)

    found = sentences.describe_verdict(report)
    assert found.startswith(sentence)
    assert ("in time" in found) == ("in time" in sentence or "could not" in sentence)
