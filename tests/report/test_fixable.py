"""Which findings `fix` can do something about, and the command that does all of it."""

import pytest
from msgspec.structs import replace

from pipedoctor.check import Edit, Location
from pipedoctor.report import fixable
from pipedoctor.report.model import Report, ReportedFinding
from pipedoctor.report.text import format_statistics, render

SPOT = Location(path="train.py", line=2, column=10, end_line=2, end_column=20)


def _edited(ill: Report, name: str, *, unsafe: str = "") -> ReportedFinding:
    """A finding in code whose remedy is an edit."""
    cure = replace(
        ill.findings[0].remedies[1],
        edits=(Edit(path="train.py", line=2, column=1, end_line=2, end_column=1, replacement=""),),
        unsafe=unsafe,
    )
    return replace(
        ill.findings[0], code="PDR103", name=name, location=SPOT, remedies=(cure,), explains=()
    )


def _mixed(ill: Report) -> Report:
    found = (
        ill.findings[0],
        _edited(ill, "pin-memory-missing"),
        _edited(ill, "num-workers-zero", unsafe="more memory"),
    )
    arguments = ("train.py", "--workers", "8", "--data", "/a b")
    return replace(ill, findings=found, fix_arguments=arguments)


def test_each_finding_says_what_fix_can_do_with_it(ill: Report) -> None:
    report = _mixed(ill)

    marks = [fixable.mark_finding(report, entry) for entry in report.findings]

    assert marks == ["[fix]", "[fix]", "[fix --unsafe]"]
    assert fixable.mark_finding(ill, ill.findings[1]) == "", "it has advice only"


def test_one_command_carries_names_code_and_job(ill: Report) -> None:
    expected = "pipedoctor fix shm-too-small pin-memory-missing train.py --workers 8 --data '/a b'"

    assert fixable.format_fix_command(_mixed(ill)) == expected
    assert render(_mixed(ill)).endswith(f"\n$ {expected}\n")
    assert "1 edit may change results: made only with --unsafe." in render(_mixed(ill))


def test_where_only_unsafe_edits_are_left_the_command_asks_for_them(ill: Report) -> None:
    found = (_edited(ill, "num-workers-zero", unsafe="more memory"),)
    report = replace(ill, findings=found, fix_arguments=("train.py",))

    assert fixable.format_fix_command(report) == (
        "pipedoctor fix num-workers-zero train.py --unsafe"
    )


@pytest.mark.parametrize("change", [{"recorded": "2026"}, {"findings": ()}])
def test_nothing_is_offered(ill: Report, change: dict[str, object]) -> None:
    assert fixable.format_fix_command(replace(_mixed(ill), **change)) == ""


def test_code_from_stdin_is_in_no_file_to_edit(ill: Report) -> None:
    report = replace(_mixed(ill), fix_arguments=("-", "--workers", "8"))

    assert fixable.format_fix_command(report) == "pipedoctor fix shm-too-small --workers 8"


def test_statistics_count_findings_per_check(ill: Report) -> None:
    report = _mixed(ill)
    report = replace(report, findings=(*report.findings, report.findings[0]))

    rows = [line.split() for line in format_statistics(report).splitlines()]

    assert [row[:3] for row in rows] == [
        ["2", "PDR103", "pin-memory-missing"],
        ["2", "PDR701", "shm-too-small"],
    ]
    assert "[fix]" in rows[0]
    assert format_statistics(replace(report, findings=())) == ""
