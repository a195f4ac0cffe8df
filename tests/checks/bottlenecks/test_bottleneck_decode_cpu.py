"""PDR903: decoding takes the time."""

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Counterfactual, Severity
from pipedoctor.facts import Facts, Pipeline, Shares
from pipedoctor_checks.bottlenecks.bottleneck_decode_cpu import bottleneck_decode_cpu
from tests.checks.bottlenecks.measured_pipelines import MEASURED, judge_bottleneck, round_figures
from tests.checks.remedies_by_place import describe_remedies, list_commands
from tests.tune.seen import costs, pipeline, setting, trial


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(
            pipeline(trial(0, 0.02), cpu=Shares(read=0.1, decode=0.49, transform=0.41)),
            id="less than half of it is decoding",
        ),
        pytest.param(pipeline(trial(0, 0.02), cpu=None), id="nobody traced it"),
    ],
)
def test_silent(seen: Pipeline) -> None:
    verdict = bottleneck_decode_cpu.run(Facts(seen))

    assert (verdict.findings, verdict.skipped) == ((), "")


def test_speaks() -> None:
    finding = judge_bottleneck("decode-cpu", MEASURED["decode-cpu"])

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "bottleneck of data.py:make: a batch takes 20.0 ms of CPU to fetch, most of it decoding"
    )
    assert round_figures(finding.evidence) == {
        "target": "data.py:make",
        "seconds_per_sample": 0.00075,
        "share": 0.6,
        "share_of": "the CPU time of a batch",
        "fetch_cpu": 0.02,
        "decode_share": 0.6,
        "collate_cpu": 0.0,
    }


def test_remedies() -> None:
    finding = judge_bottleneck("decode-cpu", MEASURED["decode-cpu"])

    assert list_commands(finding) == ["pipedoctor bench decode", ""]
    assert finding.counterfactual == Counterfactual(tuned=True)


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    finding = judge_bottleneck("decode-cpu", MEASURED["decode-cpu"])

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    missing = bottleneck_decode_cpu.run(Facts(unknown={"pipeline": "data.py:make: OSError: gone"}))

    assert missing.skipped == "pipeline: data.py:make: OSError: gone"


def test_the_faster_setting_is_there_to_paste() -> None:
    seen = MEASURED["decode-cpu"]
    better = replace(seen, start=setting(0), best=setting(8))
    same = replace(seen, start=setting(0), best=setting(0))
    line = "DataLoader(..., num_workers=8, prefetch_factor=2)"

    assert line in list_commands(judge_bottleneck("decode-cpu", better))
    assert line not in list_commands(judge_bottleneck("decode-cpu", same))


def test_the_garbage_collector_is_told_what_to_skip() -> None:
    seen = MEASURED["decode-cpu"]
    trials = tuple(replace(t, costs=costs(collector=0.012)) for t in seen.trials if t.costs)
    finding = judge_bottleneck("decode-cpu", replace(seen, trials=trials))

    assert finding.evidence["collector_share"] == pytest.approx(0.6)
    assert "gc.freeze()" in list_commands(finding)[0]
    assert finding.counterfactual == Counterfactual(uncollected=True)
