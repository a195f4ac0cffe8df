"""Findings of several sides: which are the same, which are new."""

import pytest
from msgspec.structs import replace

from pipedoctor.check import Location
from pipedoctor.diff.faults import judged
from pipedoctor.report.model import Counts, Entry, Grade, Known, Report, Skip


def entry(
    summary: str = "x", code: str = "PDR1", line: int = 0, severity: Grade = "slows"
) -> Entry:
    return Entry(
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


def report(*entries: Entry, healthy: tuple[str, ...] = (), skipped: str = "") -> Report:
    skips = (Skip(code="PDR1", name="name-PDR1", reason=skipped),) if skipped else ()
    return Report(
        created="",
        seconds=0.0,
        facts=Known(known={"shm": {}}, unknown={}),
        findings=entries,
        healthy=healthy,
        skipped=skips,
        summary=Counts(),
    )


WELL = report(healthy=("PDR1", "PDR2"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(report(entry()), report(entry()), id="the same"),
        pytest.param(
            report(entry("5 of 6")), report(entry("7 of 9")), id="other numbers"
        ),
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
        pytest.param(
            report(entry()), report(skipped="no facts"), id="not judged there"
        ),
        pytest.param(WELL, WELL, id="nothing"),
    ],
)
def test_no_difference(one: Report, other: Report) -> None:
    assert judged([one, other]).differences == ()
    assert judged([other, one]).differences == ()


def test_a_finding_of_one_side() -> None:
    (found,) = judged([WELL, report(entry("bad"))]).differences

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

    assert len(judged([once, twice]).differences) == 1


def test_it_is_graver_there() -> None:
    (found,) = judged([report(entry()), report(entry(severity="breaks"))]).differences

    assert found.finding is not None
    assert found.finding.severity == "breaks"
    assert [value.value for value in found.values] == ["slows", "breaks"]


def test_why_one_side_cannot_judge() -> None:
    found = judged([report(entry()), report(skipped="no facts"), WELL])

    assert [value.shown for value in found.differences[0].values] == [
        "x",
        "not judged: no facts",
        "healthy",
    ]
    assert [(gap.what, gap.side, gap.reason) for gap in found.unknown] == [
        ("name-PDR1", 1, "no facts")
    ]


def test_a_check_that_another_version_lacks() -> None:
    found = judged([report(entry()), report()])

    assert found.differences == ()
    assert found.unknown[0].reason == "not judged"


def test_the_gravest_comes_first_and_symptoms_last() -> None:
    mine = report(
        entry(code="PDR1"),
        replace(entry(code="PDR2", severity="breaks"), cause="PDR3"),
        entry(code="PDR3", severity="breaks"),
    )
    well = report(healthy=("PDR1", "PDR2", "PDR3"))

    assert [one.field for one in judged([mine, well]).differences] == [
        "PDR3",
        "PDR2",
        "PDR1",
    ]


def test_what_all_have_is_named() -> None:
    assert judged([report(entry()), report(entry())]).shared == ("name-PDR1",)


def test_of_three_one_stands_apart() -> None:
    (found,) = judged([WELL, report(entry()), WELL]).differences

    assert found.apart == (1,)
