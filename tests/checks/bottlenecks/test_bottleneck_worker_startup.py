"""PDR912: starting workers takes a large part of an epoch."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Counterfactual, Severity
from pipedoctor.facts import Facts, Pipeline
from pipedoctor_checks.bottlenecks.bottleneck_worker_startup import bottleneck_worker_startup
from tests.checks.bottlenecks.measured_pipelines import MEASURED, judge_bottleneck, round_figures
from tests.checks.remedies_by_place import describe_remedies, list_commands
from tests.tune.seen import pipeline, setting, trial


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(
            pipeline(
                trial(1, 0.02),
                samples=64,
                start=setting(1, persistent_workers=True),
                startup_seconds=1.0,
            ),
            id="they are kept",
        ),
        pytest.param(
            pipeline(trial(1, 0.02), samples=2000, start=setting(1), startup_seconds=1.0),
            id="the epoch is long enough",
        ),
    ],
)
def test_silent(seen: Pipeline) -> None:
    verdict = bottleneck_worker_startup.run(Facts(seen))

    assert (verdict.findings, verdict.skipped) == ((), "")


def test_speaks() -> None:
    finding = judge_bottleneck("worker-startup", MEASURED["worker-startup"])

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "bottleneck of data.py:make: starting the workers takes 0.98 s of every epoch, "
        "its batches 0.08 s"
    )
    assert round_figures(finding.evidence) == {
        "target": "data.py:make",
        "seconds_per_sample": 0.01531,
        "share": 0.925,
        "share_of": "an epoch",
        "startup_seconds": 0.98,
        "epoch_seconds": 0.08,
    }


def test_remedies() -> None:
    finding = judge_bottleneck("worker-startup", MEASURED["worker-startup"])

    assert list_commands(finding) == ["DataLoader(..., persistent_workers=True)", ""]
    assert finding.counterfactual == Counterfactual(persistent=True)


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    finding = judge_bottleneck("worker-startup", MEASURED["worker-startup"])

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    missing = bottleneck_worker_startup.run(
        Facts(unknown={"pipeline": "data.py:make: OSError: gone"})
    )

    assert missing.skipped == "pipeline: data.py:make: OSError: gone"


def test_the_counterfactual_is_to_keep_them() -> None:
    finding = judge_bottleneck("worker-startup", MEASURED["worker-startup"])

    assert finding.counterfactual == Counterfactual(persistent=True)
