"""PDR909: the training process computes between batches."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import Facts, Pipeline
from pipedoctor_checks.bottlenecks.bottleneck_main_thread import bottleneck_main_thread
from tests.checks.bottlenecks.measured_pipelines import (
    MEASURED,
    judge_bottleneck,
    make_stepping,
    round_figures,
)
from tests.checks.remedies_by_place import describe_remedies, list_commands


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(make_stepping(0.05), id="half of the step is its own"),
        pytest.param(MEASURED["transform-cpu"], id="there is no step"),
    ],
)
def test_silent(seen: Pipeline) -> None:
    verdict = bottleneck_main_thread.run(Facts(seen))

    assert (verdict.findings, verdict.skipped) == ((), "")


def test_speaks() -> None:
    finding = judge_bottleneck("main-thread", MEASURED["main-thread"])

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert (
        finding.summary
        == "bottleneck of data.py:make: the main process computes 90.0 ms for each batch"
    )
    assert round_figures(finding.evidence) == {
        "target": "data.py:make",
        "seconds_per_sample": 0.005625,
        "share": 0.75,
        "share_of": "a step",
        "step_seconds": 0.1,
        "step_cpu": 0.09,
        "batch_seconds": 0.02,
    }


def test_remedies() -> None:
    finding = judge_bottleneck("main-thread", MEASURED["main-thread"])

    assert list_commands(finding) == ["", ""]
    assert finding.counterfactual is None


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    finding = judge_bottleneck("main-thread", MEASURED["main-thread"])

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    missing = bottleneck_main_thread.run(Facts(unknown={"pipeline": "data.py:make: OSError: gone"}))

    assert missing.skipped == "pipeline: data.py:make: OSError: gone"
