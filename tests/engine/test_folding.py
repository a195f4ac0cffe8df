"""Symptoms under their cause."""

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipedoctor.check import (
    Check,
    Confidence,
    Finding,
    Severity,
    Verdict,
)
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.engine.triage import triage

if TYPE_CHECKING:
    from collections.abc import Sequence
from tests.engine.triage_samples import BREAKS, NOTE, RISKS, SLOWS, catalogue, codes, made, says


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
