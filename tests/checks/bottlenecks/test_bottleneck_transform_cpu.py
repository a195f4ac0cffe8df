"""PDR904: transforms take the time."""

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Counterfactual, Severity
from pipedoctor.facts import Facts, Pipeline, Shares
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from pipedoctor_checks.bottlenecks.bottleneck_transform_cpu import bottleneck_transform_cpu
from tests.checks.bottlenecks.measured_pipelines import MEASURED, judge_bottleneck, round_figures
from tests.checks.remedies_by_place import describe_remedies, list_commands
from tests.tune.seen import costs, pipeline, setting, trial, window


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(
            pipeline(trial(0, 0.02), cpu=Shares(read=0.1, decode=0.5, transform=0.4)),
            id="half of it is decoding",
        ),
        pytest.param(pipeline(trial(1, 0.02, costs=None)), id="nobody measured what it costs"),
    ],
)
def test_silent(seen: Pipeline) -> None:
    verdict = bottleneck_transform_cpu.run(Facts(seen))

    assert (verdict.findings, verdict.skipped) == ((), "")


def test_speaks() -> None:
    finding = judge_bottleneck("transform-cpu", MEASURED["transform-cpu"])

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "bottleneck of data.py:make: a batch takes 20.0 ms of CPU to fetch, most of it transforms"
    )
    assert round_figures(finding.evidence) == {
        "target": "data.py:make",
        "seconds_per_sample": 0.001125,
        "share": 0.9,
        "share_of": "the CPU time of a batch",
        "fetch_cpu": 0.02,
        "decode_share": 0.1,
        "collate_cpu": 0.0,
    }


def test_remedies() -> None:
    finding = judge_bottleneck("transform-cpu", MEASURED["transform-cpu"])

    assert list_commands(finding) == ["batch = transforms(batch.to(device, non_blocking=True))", ""]
    assert finding.counterfactual == Counterfactual(tuned=True)


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    finding = judge_bottleneck("transform-cpu", MEASURED["transform-cpu"])

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    missing = bottleneck_transform_cpu.run(
        Facts(unknown={"pipeline": "data.py:make: OSError: gone"})
    )

    assert missing.skipped == "pipeline: data.py:make: OSError: gone"


def test_the_faster_setting_is_there_to_paste() -> None:
    seen = MEASURED["transform-cpu"]
    better = replace(seen, start=setting(0), best=setting(8))
    same = replace(seen, start=setting(0), best=setting(0))
    line = "DataLoader(..., num_workers=8, prefetch_factor=2)"

    assert line in list_commands(judge_bottleneck("transform-cpu", better))
    assert line not in list_commands(judge_bottleneck("transform-cpu", same))


def test_the_garbage_collector_is_told_what_to_skip() -> None:
    seen = MEASURED["transform-cpu"]
    trials = tuple(replace(t, costs=costs(collector=0.012)) for t in seen.trials if t.costs)
    finding = judge_bottleneck("transform-cpu", replace(seen, trials=trials))

    assert finding.evidence["collector_share"] == pytest.approx(0.6)
    assert "gc.freeze()" in list_commands(finding)[0]
    assert finding.counterfactual == Counterfactual(uncollected=True)


def test_collating_that_takes_longer_than_its_samples_is_the_cost() -> None:
    heavy = costs(fetch_wall=0.01, fetch_cpu=0.01, collate_cpu=0.03, process=0.04)

    finding = judge_bottleneck("transform-cpu", pipeline(trial(0, 0.04, costs=heavy)))

    assert finding.evidence["share"] == pytest.approx(0.75)


def test_a_disturbed_measurement_is_only_possible() -> None:
    noisy = window(own=1.0, foreign=0.8)

    finding = judge_bottleneck("transform-cpu", pipeline(trial(0, 0.02, window=noisy)))

    assert finding.confidence is Confidence.POSSIBLE
    assert finding.evidence["disturbed"] == "other processes used 0.8 of 2 CPUs"


def test_the_target_is_redacted() -> None:
    home = pipeline(trial(1, 0.02), target="/home/jane/train.py:make")
    facts = Redactor(RedactionLevel.ALL).redact_facts(Facts(home))

    assert "jane" not in str(bottleneck_transform_cpu.run(facts))
