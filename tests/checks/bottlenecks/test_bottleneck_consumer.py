"""PDR913: the consumer sets the pace, as it should."""

import pytest

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import Facts, Pipeline
from pipedoctor_checks.bottlenecks.bottleneck_consumer import bottleneck_consumer
from tests.checks.bottlenecks.measured_pipelines import (
    MEASURED,
    judge_bottleneck,
    make_stepping,
    round_figures,
)
from tests.checks.remedies_by_place import list_commands


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(make_stepping(0.051), id="more than half of the step is the main process"),
        pytest.param(MEASURED["transform-cpu"], id="there is no step"),
    ],
)
def test_silent(seen: Pipeline) -> None:
    verdict = bottleneck_consumer.run(Facts(seen))

    assert (verdict.findings, verdict.skipped) == ((), "")


def test_speaks() -> None:
    finding = judge_bottleneck("consumer", MEASURED["consumer"])

    assert finding.severity is Severity.NOTE
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "bottleneck of data.py:make: a step takes 100.0 ms, one worker produces a batch in 20.0 ms"
    )
    assert round_figures(finding.evidence) == {
        "target": "data.py:make",
        "seconds_per_sample": 0.00625,
        "share": 0.833,
        "share_of": "a step",
        "step_seconds": 0.1,
        "step_cpu": 0.01,
        "batch_seconds": 0.02,
    }


def test_remedies() -> None:
    finding = judge_bottleneck("consumer", MEASURED["consumer"])

    assert list_commands(finding) == []
    assert finding.counterfactual is None


def test_unknown_is_not_healthy() -> None:
    missing = bottleneck_consumer.run(Facts(unknown={"pipeline": "data.py:make: OSError: gone"}))

    assert missing.skipped == "pipeline: data.py:make: OSError: gone"
