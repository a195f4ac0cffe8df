"""The order of findings is total, causes come before their symptoms."""

import dataclasses
from typing import Any

import pytest

from pipedoctor.check import (
    EPOCH,
    Confidence,
    Edit,
    Finding,
    Gain,
    Lasts,
    Location,
    Place,
    Remedy,
    Verdict,
)
from pipedoctor.engine.triage import triage
from tests.engine.triage_samples import BREAKS, NOTE, RISKS, SLOWS, catalogue, codes, made, says

PLAIN = catalogue(*map(made, ("A1", "B1", "C1", "D1")))


def test_nothing_found_nothing_ranked() -> None:
    assert triage(PLAIN, [Verdict("A1"), Verdict("B1", skipped="why")]) == []


def test_by_severity() -> None:
    verdicts = [says("A1", NOTE), says("B1", SLOWS), says("C1", RISKS)]

    ranked = triage(PLAIN, [*verdicts, says("D1", BREAKS)])

    assert codes(ranked) == ["D1", "C1", "B1", "A1"]
    assert [item.rank for item in ranked] == [1, 2, 3, 4]


def test_what_hangs_comes_first_whatever_it_weighs() -> None:
    """It keeps others from being judged."""
    leader = dataclasses.replace(made("Z1"), leads=True)

    ranked = triage(catalogue(made("A1"), leader), [says("A1", BREAKS), says("Z1", NOTE)])

    assert codes(ranked) == ["Z1", "A1"]


def test_then_by_confidence() -> None:
    ranked = triage(
        PLAIN,
        [
            says("A1", RISKS, confidence=Confidence.POSSIBLE),
            says("B1", RISKS, confidence=Confidence.LIKELY),
            says("C1", RISKS),
        ],
    )

    assert codes(ranked) == ["C1", "B1", "A1"]
    assert ranked[1].why == "risks: it can crash the job; likely, not certain"


def test_then_by_gain() -> None:
    def gain(value: float) -> Gain:
        return Gain(value=value, low=0, high=1, unit="of epoch time", basis="modelled")

    ranked = triage(
        PLAIN,
        [
            says("A1", SLOWS),
            says("B1", SLOWS, gain=gain(0.2)),
            says("C1", SLOWS, gain=gain(0.31)),
        ],
    )

    assert codes(ranked) == ["C1", "B1", "A1"]
    assert ranked[0].why == "slows: it costs time; gain 0.31 of epoch time (modelled)"


def test_what_one_change_mends_stands_once_where_its_check_merges() -> None:
    def at(path: str, line: int) -> Location:
        return Location(path=path, line=line, column=1)

    def edit(path: str, title: str = "Pin") -> Remedy:
        change = Edit(
            path=path, line=1, column=1, end_line=1, end_column=2, cell=0, replacement="x"
        )
        return Remedy(title=title, place=Place.CODE, lasts=Lasts.ALWAYS, edits=(change,))

    places = (("b/c.py", 4), ("a.py", 2), ("a.py", 9), ("d.py", 1))
    found = [
        says("M1", NOTE, path, location=at(path, line), remedies=(edit(path),))
        for path, line in places
    ]
    other = says("M1", NOTE, location=at("e.py", 1), remedies=(edit("e.py", "Other"),))
    grave = says("M1", SLOWS, "grave", location=at("z.py", 1), remedies=(edit("z.py"),))
    merging = dataclasses.replace(made("M1"), merges=True)

    one, second = triage(catalogue(merging), [*found, other, grave])

    assert one.finding.severity is SLOWS
    assert one.finding.summary == "grave; the same at 4 more places, in 3 other files"
    assert [one.finding.location, *one.finding.also_at] == [
        at("z.py", 1), at("a.py", 2), at("a.py", 9), at("d.py", 1), at("b/c.py", 4)
    ]  # fmt: skip
    assert [e.path for e in one.finding.remedies[0].edits] == ["z.py", "a.py", "d.py", "b/c.py"]
    assert second.finding == other.findings[0]
    bare = [says("M1", NOTE, path, location=at(path, line)) for path, line in places]
    (alone,) = triage(catalogue(merging), bare)
    assert alone.finding.summary == "a.py; the same at 3 more places, in 2 other files"
    assert len(triage(catalogue(made("M1")), [*found, other, grave])) == 5


def test_advice_without_an_edit_joins_the_same_with_one() -> None:
    change = Edit(path="b.py", line=1, column=1, end_line=1, end_column=2, cell=0, replacement="x")

    def pin(path: str, **more: Any) -> Verdict:
        remedy = Remedy(title="Pin", place=Place.CODE, lasts=Lasts.ALWAYS, **more)
        return says("M1", NOTE, path, location=Location(path=path, line=1), remedies=(remedy,))

    merging = dataclasses.replace(made("M1"), merges=True)
    found = [pin("a.py"), pin("b.py", edits=(change,), unsafe="it may be slow"), pin("c.py")]

    (one,) = triage(catalogue(merging), found)

    assert one.finding.summary == "a.py; the same at 2 more places, in 2 other files"
    assert one.finding.remedies[0].unsafe == "it may be slow"
    assert one.finding.remedies[0].edits == (change,)
    assert len(triage(catalogue(merging), [*found, pin("d.py", edits=(change,))])) == 2


def test_copies_of_code_stand_once() -> None:
    remedy = Remedy(title="Pin", place=Place.CODE, lasts=Lasts.ALWAYS)

    def says_at(path: str, **more: Any) -> Verdict:
        where = Location(path=path, line=1)
        return says("A1", SLOWS, location=where, remedies=(remedy,), **more)

    copies = [says_at("a_test.py", evidence={"x": 1}), says_at("b.py", evidence={"x": 1})]

    one, other = triage(PLAIN, [*copies, says_at("c.py", evidence={"x": 2})])

    assert one.finding.summary == "A1; the same at 1 more place, in 1 other file"
    assert one.finding.location == Location(path="b.py", line=1)
    assert other.finding.summary == "A1"


def test_then_by_code_place_and_words() -> None:
    def at(path: str, line: int, column: int = 1) -> Location:
        return Location(path=path, line=line, column=column)

    places = [at("a.py", 1), at("a.py", 2), at("a.py", 2, 5), at("b.py", 1)]
    verdicts = [
        *(says("B1", NOTE, location=place) for place in reversed(places)),
        says("A1", NOTE, "second"),
        says("A1", NOTE, "first"),
    ]

    ranked = triage(PLAIN, verdicts)

    assert [item.finding.summary for item in ranked[:2]] == ["first", "second"]
    assert [item.finding.location for item in ranked[2:]] == places


def test_what_a_project_is_for_comes_first() -> None:
    paths = [
        "deep/inside/train.py",
        "configs/train.py",
        "legacy_train.py",
        "projects/other/train.py",
        "train.py",
    ]

    ranked = triage(PLAIN, [says("A1", SLOWS, location=Location(path=p, line=1)) for p in paths])

    assert [r.finding.location.path for r in ranked if r.finding.location] == [
        "train.py",
        "deep/inside/train.py",
        "legacy_train.py",
        "configs/train.py",
        "projects/other/train.py",
    ]


@pytest.mark.parametrize("folder", ["tests", "a/test", "unit_tests"])
def test_in_tests_everything_stands_two_grades_lower(folder: str) -> None:
    tested = Location(path=f"{folder}/it.py", line=1)
    own = Location(path="test_it.py", line=1)

    ranked = triage(
        PLAIN,
        [
            says("A1", BREAKS, location=tested),
            says("A1", SLOWS, location=tested),
            says("B1", SLOWS, location=own),
            says("C1", NOTE, location=own),
        ],
    )

    assert codes(ranked) == ["B1", "A1", "C1", "A1"]
    assert ranked[1].why == (
        "breaks: it will crash the job or give wrong results; in tests, so ranked lower"
    )


def test_what_is_said_twice_of_one_place_stands_once() -> None:
    here, there = (Location(path="a.py", line=line) for line in (3, 4))
    same, other = (Finding(severity=NOTE, summary=word, location=here) for word in ("one", "two"))
    moved = Finding(severity=NOTE, summary="one", location=there)
    ranked = triage(PLAIN, [Verdict("A1", (same, other, moved, same, same))])
    assert [item.finding for item in ranked] == [same, other, moved]
    assert [item.rank for item in ranked] == [1, 2, 3]


def test_nothing_without_a_place_is_taken_for_another() -> None:
    again = says("A1", NOTE).findings * 2
    assert len(triage(PLAIN, [Verdict("A1", again)])) == 2


def test_what_saves_more_of_an_epoch_stands_higher_whatever_its_confidence() -> None:
    """Fractions of anything else than an epoch cannot be compared with it."""

    def slows(value: float, unit: str = EPOCH, **more: Any) -> Finding:
        gain = Gain(value=value, low=0, high=1, unit=unit, basis="modelled")
        return Finding(severity=SLOWS, summary=unit, gain=gain, **more)

    small = slows(0.1, confidence=Confidence.POSSIBLE)
    large = slows(0.4, confidence=Confidence.POSSIBLE)
    other, harm = slows(0.9, "fraction of decoding"), slows(-0.1)
    unpriced = Finding(severity=SLOWS, summary="unpriced")
    ranked = triage(PLAIN, [Verdict("A1", (harm, unpriced, small, other, large))])

    assert [r.finding for r in ranked] == [large, small, other, unpriced, harm]


def test_notes_of_no_job_in_particular_come_last_and_graver_ones_in_their_place() -> None:
    unasked = dataclasses.replace(made("A1"), background=True)
    book = catalogue(unasked, made("B1"))

    assert codes(triage(book, [says("A1", NOTE), says("B1", NOTE)])) == ["B1", "A1"]
    assert codes(triage(book, [says("A1", SLOWS), says("B1", SLOWS)])) == ["A1", "B1"]
