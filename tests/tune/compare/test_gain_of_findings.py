"""Gains of findings: only of the loader that was measured, and of none without costs."""

from typing import Any

import pytest

from pipedoctor.check import Counterfactual, Finding, Location, Severity, Verdict
from pipedoctor.facts import (
    Facts,
    Pipeline,
    Source,
)
from pipedoctor.facts.source import LoaderCall, Spot
from pipedoctor.tune.compare.remedy_gain import add_gains
from tests.tune.compare.priced_pipelines import computes, waits
from tests.tune.seen import pipeline, setting, trial

# --- of which findings

HERE = Spot(path="train.py", line=10, end_line=12)
THERE = Spot(path="train.py", line=30)


def finding(line: int | None, path: str = "train.py") -> Finding:
    return Finding(
        severity=Severity.SLOWS,
        summary="slow",
        counterfactual=Counterfactual(tuned=True),
        location=Location(path=path, line=line) if line else None,
    )


def source(*spots: Spot) -> Source:
    return Source(loaders=tuple(LoaderCall(at=s, name="DataLoader") for s in spots))


def gain_of(found: Finding, seen: Pipeline, *more: Any) -> bool:
    (verdict,) = add_gains(Facts(seen, *more), [Verdict("X1", (found,))])
    return verdict.findings[0].gain is not None


MADE = Spot(path="train.py", line=11)
BOTH = source(HERE, THERE)


@pytest.mark.parametrize(
    ("found", "seen", "code", "told"),
    [
        pytest.param(finding(None), waits(), BOTH, True, id="of the machine"),
        pytest.param(finding(10), waits(made_at=MADE), BOTH, True, id="of its call"),
        pytest.param(finding(12), waits(made_at=MADE), BOTH, True, id="its last line"),
        pytest.param(finding(13), waits(made_at=MADE), BOTH, True, id="of its file"),
        pytest.param(finding(30), waits(made_at=MADE), BOTH, False, id="of another"),
        pytest.param(finding(10, "other.py"), waits(made_at=MADE), BOTH, False, id="elsewhere"),
        pytest.param(finding(10), waits(), BOTH, False, id="one of two, who knows"),
        pytest.param(finding(10), waits(), source(HERE), True, id="the only one"),
        pytest.param(finding(10), pipeline(), source(HERE), False, id="not measured"),
        pytest.param(
            finding(None),
            waits(start=setting(3)),
            BOTH,
            False,
            id="nothing to compare with",
        ),
    ],
)
def test_only_the_loader_that_was_measured(
    found: Finding,
    seen: Pipeline,
    code: Source,
    told: bool,
) -> None:
    assert gain_of(found, seen, code) is told


@pytest.mark.parametrize(
    ("severity", "workers", "then"),
    [
        pytest.param(Severity.SLOWS, 1, Severity.NOTE, id="slower for certain"),
        pytest.param(Severity.SLOWS, 2, Severity.SLOWS, id="faster"),
        pytest.param(Severity.SLOWS, 3, Severity.SLOWS, id="only modelled"),
        pytest.param(Severity.RISKS, 1, Severity.RISKS, id="not about speed"),
    ],
)
def test_a_remedy_that_was_measured_to_harm_makes_a_note(
    severity: Severity, workers: int, then: Severity
) -> None:
    seen = computes(trials=(trial(0, 0.01), trial(1, 0.03), trial(2, 0.005)))
    found = Finding(severity=severity, summary="x", counterfactual=Counterfactual(workers=workers))
    (verdict,) = add_gains(Facts(seen), [Verdict("PDR101", (found,))])
    (finding,) = verdict.findings

    assert finding.gain is not None
    assert finding.severity is then


def test_what_says_no_counterfactual_keeps_its_gain() -> None:
    plain = Finding(severity=Severity.NOTE, summary="plain")

    assert add_gains(Facts(waits()), [Verdict("X1", (plain,))])[0].findings == (plain,)
    assert add_gains(Facts(), [Verdict("X1", (plain,))]) == [Verdict("X1", (plain,))]


def test_a_pipeline_without_costs_prices_nothing() -> None:
    bare = pipeline(trial(0, 0.02, costs=None), samples=1600)
    finding = Finding(
        severity=Severity.SLOWS, summary="x", counterfactual=Counterfactual(workers=2)
    )
    verdicts = [Verdict(code="PDR101", findings=(finding,))]

    assert add_gains(Facts(bare), verdicts) == verdicts


def test_a_pipeline_of_another_machine_prices_nothing() -> None:
    away = waits(elsewhere="it was measured on another machine: Acme 9, 8 CPUs")

    assert gain_of(finding(None), waits(), BOTH)
    assert not gain_of(finding(None), away, BOTH)
