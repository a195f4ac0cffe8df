"""PDR901: workers wait for storage that answers late."""

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Counterfactual, Severity
from pipedoctor.facts import Facts, Pipeline
from pipedoctor_checks.bottlenecks.bottleneck_storage_latency import bottleneck_storage_latency
from tests.checks.bottlenecks.measured_pipelines import (
    MEASURED,
    judge_bottleneck,
    make_waiting,
    round_figures,
)
from tests.checks.remedies_by_place import describe_remedies, list_commands
from tests.tune.seen import costs, pipeline, setting, trial


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(
            pipeline(
                trial(1, 0.13, costs=costs(fetch_wall=0.13, fetch_cpu=0.066, fetch_process=0.066))
            ),
            id="it computes for more than half of the time",
        ),
        pytest.param(make_waiting(grown=2.0), id="several workers wait longer"),
    ],
)
def test_silent(seen: Pipeline) -> None:
    verdict = bottleneck_storage_latency.run(Facts(seen))

    assert (verdict.findings, verdict.skipped) == ((), "")


def test_speaks() -> None:
    finding = judge_bottleneck("storage-latency", MEASURED["storage-latency"])

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "bottleneck of data.py:make: a batch waits 128 ms for its data and computes 2.0 "
        "ms: more workers would wait in parallel"
    )
    assert round_figures(finding.evidence) == {
        "target": "data.py:make",
        "seconds_per_sample": 0.008,
        "share": 0.985,
        "share_of": "the time to fetch a batch",
        "waiting_share": 0.9846,
        "waiting_seconds": 0.128,
    }


def test_remedies() -> None:
    finding = judge_bottleneck("storage-latency", MEASURED["storage-latency"])

    assert list_commands(finding) == [
        (
            "def __getitems__(self, indices):\n"
            "    with ThreadPoolExecutor(8) as pool:\n"
            "        return list(pool.map(self.__getitem__, indices))"
        ),
        "",
    ]
    assert finding.counterfactual == Counterfactual(tuned=True)


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    finding = judge_bottleneck("storage-latency", MEASURED["storage-latency"])

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    missing = bottleneck_storage_latency.run(
        Facts(unknown={"pipeline": "data.py:make: OSError: gone"})
    )

    assert missing.skipped == "pipeline: data.py:make: OSError: gone"


def test_the_faster_setting_is_there_to_paste() -> None:
    seen = MEASURED["storage-latency"]
    better = replace(seen, start=setting(0), best=setting(8))
    same = replace(seen, start=setting(0), best=setting(0))
    line = "DataLoader(..., num_workers=8, prefetch_factor=2)"

    assert line in list_commands(judge_bottleneck("storage-latency", better))
    assert line not in list_commands(judge_bottleneck("storage-latency", same))
