"""Findings of several sides: which are the same, which are new."""

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Location
from pipedoctor.diff.finding_differences import compare_findings
from pipedoctor.report.model import (
    Report,
    ReportedFacts,
    ReportedFinding,
    SeverityCounts,
    SeverityName,
    SkippedCheck,
)


def entry(
    summary: str = "x",
    code: str = "PDR1",
    line: int = 0,
    severity: SeverityName = "slows",
) -> ReportedFinding:
    return ReportedFinding(
        rank=1,
        code=code,
        name=f"name-{code}",
        severity=severity,
        title="a title",
        summary=summary,
        evidence={"shm.size": 1},
        location=Location(path="train.py", line=line) if line else None,
        confidence="certain",
    )


def report(*entries: ReportedFinding, healthy: tuple[str, ...] = (), skipped: str = "") -> Report:
    skips = (SkippedCheck(code="PDR1", name="name-PDR1", reason=skipped),) if skipped else ()
    return Report(
        created="",
        seconds=0.0,
        facts=ReportedFacts(known={"shm": {}}, unknown={}),
        findings=entries,
        healthy=healthy,
        skipped=skips,
        summary=SeverityCounts(),
    )


WELL = report(healthy=("PDR1", "PDR2"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(report(entry()), report(entry()), id="the same"),
        pytest.param(report(entry("5 of 6")), report(entry("7 of 9")), id="other numbers"),
        pytest.param(
            report(entry(line=3), entry("y", line=9)),
            report(entry(line=4), entry("y", line=10)),
            id="a line was added above",
        ),
        pytest.param(
            report(entry("/home/<user-1>/x"), entry("b")),
            report(entry("b"), entry("/home/joe/x")),
            id="one is redacted",
        ),
        pytest.param(report(entry()), report(skipped="no facts"), id="not judged there"),
        pytest.param(WELL, WELL, id="nothing"),
    ],
)
def test_no_difference(one: Report, other: Report) -> None:
    assert compare_findings([one, other]).differences == ()
    assert compare_findings([other, one]).differences == ()


def test_a_finding_of_one_side() -> None:
    (found,) = compare_findings([WELL, report(entry("bad"))]).differences

    assert found.group == "judged"
    assert found.field == "PDR1"
    assert [(v.state, v.shown) for v in found.values] == [
        ("missing", "healthy"),
        ("known", "bad"),
    ]
    assert found.finding is not None
    assert found.finding.name == "name-PDR1"


def test_one_more_of_the_same() -> None:
    once, twice = report(entry(line=3)), report(entry(line=3), entry(line=9))

    assert len(compare_findings([once, twice]).differences) == 1


def test_it_is_graver_there() -> None:
    (found,) = compare_findings([report(entry()), report(entry(severity="breaks"))]).differences

    assert found.finding is not None
    assert found.finding.severity == "breaks"
    assert [value.value for value in found.values] == ["slows", "breaks"]


def test_why_one_side_cannot_judge(snapshot: SnapshotAssertion) -> None:
    found = compare_findings([report(entry()), report(skipped="no facts"), WELL])

    assert [value.shown for value in found.differences[0].values] == snapshot
    assert [(gap.what, gap.side, gap.reason) for gap in found.unknown] == [
        ("name-PDR1", 1, "no facts")
    ]


def test_a_check_that_another_version_lacks(snapshot: SnapshotAssertion) -> None:
    found = compare_findings([report(entry()), report()])

    assert found.differences == ()
    assert found.unknown[0].reason == snapshot


def test_the_gravest_comes_first_and_symptoms_last() -> None:
    mine = report(
        entry(code="PDR1"),
        replace(entry(code="PDR2", severity="breaks"), cause="PDR3"),
        entry(code="PDR3", severity="breaks"),
    )
    well = report(healthy=("PDR1", "PDR2", "PDR3"))

    assert [one.field for one in compare_findings([mine, well]).differences] == [
        "PDR3",
        "PDR2",
        "PDR1",
    ]


def test_what_all_have_is_named() -> None:
    assert compare_findings([report(entry()), report(entry())]).shared == ("name-PDR1",)


def test_of_three_one_stands_apart() -> None:
    (found,) = compare_findings([WELL, report(entry()), WELL]).differences

    assert found.apart == (1,)


def _machine(one: Report) -> Report:
    return replace(one, facts=ReportedFacts(known={"site": {}}, unknown={}))


def test_a_fault_counts_where_the_other_machine_has_nothing_to_judge() -> None:
    ill = _machine(
        report(
            replace(entry("a driver of 2020", severity="breaks"), rank=2),
            replace(entry("no card", code="PDR2", severity="breaks"), rank=1),
        )
    )
    here = _machine(report(skipped="gpu: libnvidia-ml.so.1 not found"))

    for reports in ([ill, here], [here, ill]):
        found = compare_findings(reports)
        assert [one.field for one in found.differences] == ["PDR2", "PDR1"], "as check ranks them"
        states = {value.state for value in found.differences[1].values}
        assert states == {"known", "unknown"}


def test_a_note_there_is_no_difference_where_nobody_can_judge_it() -> None:
    ill = _machine(report(entry(severity="note")))

    assert compare_findings([ill, _machine(report(skipped="no GPU"))]).differences == ()
