"""PDR908: a few slow samples hold up the others."""

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Counterfactual, Severity
from pipedoctor.facts import Facts, Pipeline, TorchBuild
from pipedoctor_checks.bottlenecks.bottleneck_stragglers import bottleneck_stragglers
from tests.checks.bottlenecks.measured_pipelines import MEASURED, judge_bottleneck, round_figures
from tests.checks.remedies_by_place import describe_remedies, list_commands
from tests.tune.seen import pipeline, setting, trial


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(
            pipeline(trial(1, 0.04), items=((0.001, 0.001),) * 75 + ((0.06, 0.001),) * 25),
            id="a quarter of them is slow",
        ),
        pytest.param(
            pipeline(trial(1, 0.04), items=((0.001, 0.001),) * 97 + ((0.005, 0.001),) * 3),
            id="five times the median",
        ),
    ],
)
def test_silent(seen: Pipeline) -> None:
    verdict = bottleneck_stragglers.run(Facts(seen))

    assert (verdict.findings, verdict.skipped) == ((), "")


def test_speaks() -> None:
    finding = judge_bottleneck("stragglers", MEASURED["stragglers"])

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "bottleneck of data.py:make: 3% of the samples take 65% of the time: up to 60 "
        "ms, the median 1.0 ms"
    )
    assert round_figures(finding.evidence) == {
        "target": "data.py:make",
        "seconds_per_sample": 0.0018,
        "share": 0.65,
        "share_of": "the time to fetch a batch",
        "tail_share": 0.6498,
        "median": 0.001,
        "slowest": 0.06,
    }


def test_remedies() -> None:
    finding = judge_bottleneck("stragglers", MEASURED["stragglers"])

    assert list_commands(finding) == [
        "DataLoader(..., num_workers=2, in_order=False)",
        "DataLoader(..., num_workers=2, prefetch_factor=8)",
        "",
    ]
    assert finding.counterfactual == Counterfactual(in_order=False)


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    finding = judge_bottleneck("stragglers", MEASURED["stragglers"])

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    missing = bottleneck_stragglers.run(Facts(unknown={"pipeline": "data.py:make: OSError: gone"}))

    assert missing.skipped == "pipeline: data.py:make: OSError: gone"


@pytest.mark.parametrize(("version", "loose"), [("2.5.1", False), ("2.6.0", True)])
def test_in_order_needs_torch_2_6(version: str, loose: bool) -> None:
    finding = judge_bottleneck("stragglers", MEASURED["stragglers"], TorchBuild(version=version))

    advised = any("in_order=False" in line for line in list_commands(finding))
    assert advised is loose
    assert (finding.counterfactual is not None) is loose


def test_the_workers_that_were_best_are_kept() -> None:
    seen = replace(MEASURED["stragglers"], best=setting(6))

    first = list_commands(judge_bottleneck("stragglers", seen))[0]

    assert first == "DataLoader(..., num_workers=6, in_order=False)"
