"""A baseline: known findings are silent, new ones speak, gone ones are told."""

from pathlib import Path

import pytest

from pipedoctor.check import Finding, Location, Severity, Verdict
from pipedoctor.facts import Facts, MalformedRecordError, Source
from pipedoctor.facts.source import Skipped
from pipedoctor.facts.source_marks import Mark
from pipedoctor.report.model import (
    Report,
    ReportedFinding,
    SeverityCounts,
    SkippedCheck,
)
from pipedoctor.report.model import ReportedFacts as Facts_
from pipedoctor.suppress.baseline import (
    Baseline,
    BaselineFinding,
    apply_baseline,
    collect_findings,
    format_baseline,
    list_unjudged,
    parse_baseline,
)

PRINT = BaselineFinding(path="a.py", code="X1", name="x-one", print="aa")


def facts(*lines: tuple[str, int, str], skipped: tuple[Skipped, ...] = ()) -> Facts:
    marks = tuple(Mark(path=path, line=line, print=said) for path, line, said in lines)
    return Facts(Source(marks=marks, skipped=skipped))


def found(*spots: tuple[str, int], code: str = "X1") -> Verdict:
    return Verdict(
        code,
        tuple(
            Finding(
                severity=Severity.SLOWS,
                summary="s",
                location=Location(path=path, line=line),
            )
            for path, line in spots
        ),
    )


def baseline(*known: BaselineFinding) -> Baseline:
    return Baseline(path="base.json", findings=known)


def test_a_known_finding_is_accepted_wherever_its_line_went() -> None:
    (verdict,), stale = apply_baseline(
        baseline(PRINT), [found(("a.py", 90))], facts(("a.py", 90, "aa"))
    )

    assert verdict == Verdict("X1", skipped="accepted in base.json: 1 finding", accepted=True)
    assert stale == ()


@pytest.mark.parametrize(
    ("code", "said"), [("X1", "bb"), ("X2", "aa")], ids=["other code", "other check"]
)
def test_others_are_new(code: str, said: str) -> None:
    verdict = found(("a.py", 1), code=code)

    (left,), _ = apply_baseline(baseline(PRINT), [verdict], facts(("a.py", 1, said)))

    assert left == verdict


def test_of_equal_lines_one_more_than_known_is_new() -> None:
    here = facts(("a.py", 1, "aa"), ("a.py", 2, "aa"))

    (left,), _ = apply_baseline(baseline(PRINT), [found(("a.py", 1), ("a.py", 2))], here)
    (none,), _ = apply_baseline(baseline(PRINT, PRINT), [found(("a.py", 1), ("a.py", 2))], here)

    assert left == found(("a.py", 2))
    assert none.accepted


def test_a_line_without_mark_is_known_by_its_file() -> None:
    known = BaselineFinding(path="a.py", code="X1", name="x-one", print="X1 in a.py")

    (left,), _ = apply_baseline(baseline(known), [found(("a.py", 7))], Facts(Source()))

    assert left.accepted


def test_what_is_gone_is_told_with_its_line_in_the_file() -> None:
    other = BaselineFinding(path="b.py", code="X1", name="x-one", print="bb")

    _, stale = apply_baseline(
        baseline(PRINT, other), [found(("a.py", 1))], facts(("a.py", 1, "aa"))
    )

    (one,) = stale
    assert (one.path, one.line) == ("base.json", 5)
    assert one.told == "X1 x-one in b.py"


def test_one_of_two_equal_ones_is_gone() -> None:
    _, stale = apply_baseline(
        baseline(PRINT, PRINT), [found(("a.py", 1))], facts(("a.py", 1, "aa"))
    )

    assert len(stale) == 1


@pytest.mark.parametrize(
    ("verdict", "skipped"),
    [
        (Verdict("X1", skipped="not selected"), ()),
        (Verdict("X2"), ()),
        (Verdict("X1"), (Skipped(path="a.py", reason="line 1: bad"),)),
        (Verdict("X1"), (Skipped(path="z", reason="not read, nor any file after it"),)),
    ],
    ids=["not judged", "no such check", "file not read", "not all read"],
)
def test_of_what_was_not_judged_nothing_is_gone(
    verdict: Verdict, skipped: tuple[Skipped, ...]
) -> None:
    _, stale = apply_baseline(baseline(PRINT), [verdict], facts(skipped=skipped))

    assert stale == ()


def test_without_code_nothing_is_gone() -> None:
    assert apply_baseline(baseline(PRINT), [Verdict("X1")], Facts())[1] == ()


@pytest.mark.parametrize(
    ("roots", "covered"),
    [((), False), (("sub",), False), ((".",), True), (("a.py",), True), (None, True)],
)
def test_only_of_files_that_were_asked_for(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    roots: tuple[str, ...] | None,
    covered: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    full = None if roots is None else tuple(str(tmp_path / r) for r in roots)
    base = Baseline(path="base.json", findings=(PRINT,), roots=full)

    _, stale = apply_baseline(base, [Verdict("X1")], facts())

    assert base.covers(PRINT) is covered
    assert bool(stale) is covered


def test_what_is_written_is_read_and_one_line_a_finding() -> None:
    other = BaselineFinding(path="A.py", code="X2", name="x-two", print="\u202e")
    data = format_baseline([PRINT, other, PRINT])

    assert parse_baseline(data) == (other, PRINT, PRINT)
    assert data.count(b"\n") == 8
    assert parse_baseline(format_baseline([])) == ()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{", "truncated"),
        (b"[]", "Expected `object`, got `array`"),
        (b'{"schema": "x"}', "Invalid enum value 'x' - at `$.schema`"),
        (b'{"findings": [{}]}', "missing required field"),
        (b'{"x":' * 90_000, "nested too deeply"),
        (b'{"schema": "\xff"}', "utf-8"),
    ],
)
def test_what_is_no_baseline_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(
        MalformedRecordError, match="expected the output of --write-baseline: "
    ) as no:
        parse_baseline(data)

    assert reason in str(no.value)


def entry(code: str, *spots: Location) -> ReportedFinding:
    return ReportedFinding(
        rank=1,
        code=code,
        name="x-one",
        severity="slows",
        title="t",
        summary="s",
        evidence={},
        location=spots[0] if spots else None,
        also_at=spots[1:],
        confidence="certain",
    )


def report(*entries: ReportedFinding, skipped: tuple[SkippedCheck, ...] = ()) -> Report:
    marks = [{"path": "a.py", "line": 3, "print": "aa"}]
    return Report(
        created="2026-01-01T00:00:00Z",
        seconds=0,
        facts=Facts_(known={"source": {"marks": marks}}, unknown={}),
        findings=entries,
        skipped=skipped,
        summary=SeverityCounts(),
    )


def test_every_place_in_code_is_written_down(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").touch()
    whole = report(
        entry("X1", Location(path="a.py", line=3), Location(path="b.py", line=4)),
        entry("PDR690", Location(path="a.py", line=3)),
        entry("PDR701"),
    )

    here, gone = collect_findings(whole, "sub/base.json")

    assert (here.path, here.print) == ("../a.py", "aa")
    assert (gone.path, gone.print) == ("b.py", "X1 in b.py"), "nobody knows where it is"


@pytest.mark.parametrize(
    ("skipped", "roots", "stays"),
    [
        ((), None, False),
        ((SkippedCheck(code="X1", name="x-one", reason="not selected"),), None, True),
        (
            (SkippedCheck(code="X1", name="x", reason="known", accepted=True),),
            None,
            False,
        ),
        ((SkippedCheck(code="X2", name="x-two", reason="not selected"),), None, False),
        ((), ("/elsewhere",), True),
    ],
)
def test_what_was_not_looked_at_stays(
    skipped: tuple[SkippedCheck, ...], roots: tuple[str, ...] | None, stays: bool
) -> None:
    old = Baseline(path="base.json", findings=(PRINT,), roots=roots)

    assert list_unjudged(old, report(skipped=skipped)) == ([PRINT] if stays else [])
