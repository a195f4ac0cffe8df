"""Fingerprints of SARIF: what code scanning takes for the same finding."""

from msgspec.structs import replace

from pipedoctor.check import Location
from pipedoctor.report.model import (
    Report,
    ReportedFacts,
    ReportedFinding,
)
from tests.report.sarif_runs import run


def marked(report: Report, *lines: int) -> Report:
    """The same finding on these lines, on all of which the same text stands."""
    entry = replace(ill_of(report), also_at=())
    spots = (Location(path="train.py", line=line) for line in lines)
    marks = [{"path": "train.py", "line": line, "cell": 0, "print": "ab12"} for line in lines]
    return replace(
        report,
        findings=tuple(replace(entry, location=spot) for spot in spots),
        facts=ReportedFacts(known={"source": {"marks": marks}}, unknown={}),
    )


def ill_of(report: Report) -> ReportedFinding:
    return report.findings[1]


def prints(report: Report) -> list[str]:
    return [r["partialFingerprints"]["primaryLocationLineHash"] for r in run(report)["results"]]


def test_a_moved_line_keeps_its_fingerprint(ill: Report) -> None:
    assert prints(marked(ill, 12)) == prints(marked(ill, 40)) == ["ab12:1"]


def test_equal_lines_have_fingerprints_of_their_own(ill: Report) -> None:
    assert prints(marked(ill, 3, 12)) == ["ab12:1", "ab12:2"]


def test_without_marks_the_words_are_the_fingerprint(ill: Report) -> None:
    here = replace(ill_of(ill), location=Location(path="a.py", line=1))
    there = replace(here, location=Location(path="a.py", line=9))
    else_ = replace(here, location=Location(path="b.py", line=1))
    one, two, three = (prints(replace(ill, findings=(e,))) for e in (here, there, else_))

    assert one == two != three


def test_a_machine_has_one_fingerprint_a_check(ill: Report) -> None:
    grown = replace(ill.findings[0], summary="other numbers")

    assert prints(replace(ill, findings=ill.findings[:1])) == prints(
        replace(ill, findings=(grown,))
    )
