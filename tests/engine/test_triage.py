"""The order of findings is total, causes come before their symptoms."""

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipedoctor.check import (
    EPOCH,
    Check,
    Confidence,
    Finding,
    Findings,
    Gain,
    Location,
    Severity,
    Verdict,
)
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.engine.triage import RankedFinding, triage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BREAKS, RISKS, SLOWS, NOTE = (
    Severity.BREAKS,
    Severity.RISKS,
    Severity.SLOWS,
    Severity.NOTE,
)


def made(code: str, *after: str) -> Check[Any]:
    def examine() -> Findings:
        yield from ()

    examine.__name__ = code.lower()
    silent: Callable[..., Findings] = examine
    return Check(code, f"title of {code}", silent, after)


def catalogue(*checks: Check[Any]) -> Catalogue:
    return Catalogue({check.code: check for check in checks})


def says(code: str, severity: Severity, summary: str = "", **more: Any) -> Verdict:
    finding = Finding(severity=severity, summary=summary or code, **more)
    return Verdict(code, (finding,))


def codes(ranked: list[RankedFinding]) -> list[str]:
    return [item.check.code for item in ranked]


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


def test_a_cause_stands_before_its_symptoms() -> None:
    world = catalogue(made("A1", "B1"), made("B1"), made("C1"))

    ranked = triage(world, [says("A1", RISKS), says("B1", RISKS), says("C1", RISKS)])

    assert codes(ranked) == ["B1", "A1", "C1"]
    assert ranked[0].explains == ("A1",)
    assert ranked[0].why == "risks: it can crash the job; a cause: explains A1"
    assert ranked[1].cause == "B1"
    assert ranked[1].why == "folded under B1, which explains it"
    assert ranked[2].cause == ""


def test_a_cause_is_raised_by_what_it_explains() -> None:
    world = catalogue(made("A1", "B1"), made("B1"), made("C1"))

    ranked = triage(world, [says("A1", BREAKS), says("B1", SLOWS), says("C1", RISKS)])

    assert codes(ranked) == ["B1", "A1", "C1"]
    assert ranked[0].why == (
        "slows: it costs time; raised to breaks by the findings it explains; a cause: explains A1"
    )


@pytest.mark.parametrize("symptom", [SLOWS, RISKS, BREAKS])
def test_a_note_explains_nothing_graver(symptom: Severity) -> None:
    world = catalogue(made("A1", "B1"), made("B1"))

    ranked = triage(world, [says("A1", symptom), says("B1", NOTE)])

    assert codes(ranked) == ["A1", "B1"]
    assert [item.cause for item in ranked] == ["", ""]


def test_a_note_explains_a_note() -> None:
    world = catalogue(made("A1", "B1"), made("B1"))

    ranked = triage(world, [says("A1", NOTE), says("B1", NOTE)])

    assert codes(ranked) == ["B1", "A1"]
    assert ranked[1].cause == "B1"


def test_a_cause_that_is_silent_explains_nothing() -> None:
    world = catalogue(made("A1", "B1"), made("B1"))

    (alone,) = triage(world, [says("A1", RISKS), Verdict("B1")])

    assert alone.cause == ""


def test_a_chain_folds_under_its_first_link() -> None:
    world = catalogue(made("A1", "B1"), made("B1", "C1"), made("C1"))

    ranked = triage(world, [says("A1", NOTE), says("B1", RISKS), says("C1", SLOWS)])

    assert codes(ranked) == ["C1", "B1", "A1"]
    assert ranked[0].explains == ("A1", "B1")
    assert {item.cause for item in ranked[1:]} == {"C1"}


def test_of_two_causes_the_first_named_has_it() -> None:
    world = catalogue(made("A1", "C1", "B1"), made("B1"), made("C1"))

    ranked = triage(world, [says(code, NOTE) for code in ("A1", "B1", "C1")])

    assert codes(ranked) == ["B1", "C1", "A1"]


@pytest.mark.parametrize(
    "world",
    [
        pytest.param(catalogue(made("A1", "A1")), id="itself"),
        pytest.param(catalogue(made("A1", "B1"), made("B1", "A1")), id="each other"),
        pytest.param(
            catalogue(made("A1", "B1"), made("B1", "C1"), made("C1", "B1")),
            id="a tail into a circle",
        ),
        pytest.param(
            catalogue(made("A1", "B1"), made("B1", "C1"), made("C1", "A1")),
            id="a circle of three",
        ),
    ],
)
def test_circles_end(world: Catalogue) -> None:
    verdicts = [says(code, NOTE) for code in world.checks]

    ranked = triage(world, verdicts)

    (root,) = (item for item in ranked if not item.cause)
    assert ranked[0] is root
    assert len(ranked) == len(world.checks)
    assert set(root.explains) == set(world.checks) - {root.check.code}


def test_only_the_gravest_of_several_findings_carries_the_symptoms() -> None:
    world = catalogue(made("A1", "B1"), made("B1"), made("C1"))
    several = Verdict(
        "B1",
        (
            Finding(severity=NOTE, summary="mild"),
            Finding(severity=BREAKS, summary="grave"),
        ),
    )

    ranked = triage(world, [several, says("A1", SLOWS), says("C1", RISKS)])

    assert [item.finding.summary for item in ranked] == ["grave", "A1", "C1", "mild"]
    assert [item.explains for item in ranked] == [("A1",), (), (), ()]


# --- whatever comes

CODES = ("A1", "B1", "C1", "D1", "E1")

worlds = st.lists(st.lists(st.sampled_from(CODES), max_size=3), min_size=5, max_size=5).map(
    lambda afters: catalogue(*map(made_after, CODES, afters))
)

findings = st.builds(
    Finding,
    severity=st.sampled_from(Severity),
    confidence=st.sampled_from(Confidence),
    summary=st.sampled_from(["x", "y"]),
    evidence=st.dictionaries(st.sampled_from(["a", "b"]), st.integers(0, 2)),
)

reports = st.lists(
    st.builds(Verdict, st.sampled_from(CODES), st.lists(findings, max_size=3).map(tuple)),
    max_size=6,
)


def made_after(code: str, after: "Sequence[str]") -> Check[Any]:
    return made(code, *after)


@given(worlds, reports, st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_order_of_verdicts(
    world: Catalogue, verdicts: list[Verdict], random: Any
) -> None:
    shuffled = [
        Verdict(v.code, tuple(random.sample(v.findings, len(v.findings))))
        for v in random.sample(verdicts, len(verdicts))
    ]

    assert triage(world, verdicts) == triage(world, shuffled)


@given(worlds, reports)
def test_every_finding_stands_once_and_symptoms_right_after_their_cause(
    world: Catalogue, verdicts: list[Verdict]
) -> None:
    ranked = triage(world, verdicts)

    assert [item.rank for item in ranked] == list(range(1, len(ranked) + 1))
    assert len(ranked) == sum(len(v.findings) for v in verdicts)
    lead = None
    for item in ranked:
        if item.cause:
            assert lead is not None
            assert item.cause == lead.check.code
            assert item.check.code in lead.explains
        else:
            lead = item


@given(worlds, reports)
def test_groups_stand_by_their_worst_member(world: Catalogue, verdicts: list[Verdict]) -> None:
    worst: list[int] = []
    for item in triage(world, verdicts):
        if item.cause:
            worst[-1] = max(worst[-1], item.finding.severity)
        else:
            worst.append(item.finding.severity)

    assert worst == sorted(worst, reverse=True)


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
