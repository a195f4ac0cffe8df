"""PDR902: the storage gives no more data."""

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Counterfactual, Severity
from pipedoctor.facts import DataSet, DataSets, Facts, Memory, Pipeline, Sample
from pipedoctor_checks.bottlenecks.bottleneck_storage_bandwidth import bottleneck_storage_bandwidth
from tests.checks.bottlenecks.measured_pipelines import (
    MEASURED,
    judge_bottleneck,
    make_waiting,
    round_figures,
)
from tests.checks.remedies_by_place import describe_remedies, list_commands
from tests.tune.seen import pipeline, setting


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(make_waiting(), id="several workers wait no longer"),
        pytest.param(
            pipeline(MEASURED["storage-bandwidth"].trials[0]), id="one worker alone was measured"
        ),
    ],
)
def test_silent(seen: Pipeline) -> None:
    verdict = bottleneck_storage_bandwidth.run(Facts(seen))

    assert (verdict.findings, verdict.skipped) == ((), "")


def test_speaks() -> None:
    finding = judge_bottleneck("storage-bandwidth", MEASURED["storage-bandwidth"])

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "bottleneck of data.py:make: with 2 workers a batch waits 258 ms for its data, "
        "with one 128 ms: the storage, or a lock, is saturated"
    )
    assert round_figures(finding.evidence) == {
        "target": "data.py:make",
        "seconds_per_sample": 0.008,
        "share": 0.985,
        "share_of": "the time to fetch a batch",
        "waiting_share": 0.9846,
        "waiting_seconds": 0.128,
        "workers": 2.0,
        "samples_per_second": 123.1,
    }


def test_remedies() -> None:
    finding = judge_bottleneck("storage-bandwidth", MEASURED["storage-bandwidth"])

    assert list_commands(finding) == ["", "", ""]
    assert finding.counterfactual == Counterfactual(storage=2.0)


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    finding = judge_bottleneck("storage-bandwidth", MEASURED["storage-bandwidth"])

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    missing = bottleneck_storage_bandwidth.run(
        Facts(unknown={"pipeline": "data.py:make: OSError: gone"})
    )

    assert missing.skipped == "pipeline: data.py:make: OSError: gone"


def test_the_faster_setting_is_there_to_paste() -> None:
    seen = MEASURED["storage-bandwidth"]
    better = replace(seen, start=setting(0), best=setting(8))
    same = replace(seen, start=setting(0), best=setting(0))
    line = "DataLoader(..., num_workers=8, prefetch_factor=2)"

    assert line in list_commands(judge_bottleneck("storage-bandwidth", better))
    assert line not in list_commands(judge_bottleneck("storage-bandwidth", same))


def test_more_workers_are_no_remedy() -> None:
    finding = judge_bottleneck("storage-bandwidth", MEASURED["storage-bandwidth"])

    assert not any("num_workers" in line for line in list_commands(finding))
    assert finding.counterfactual == Counterfactual(storage=2.0)


@pytest.mark.parametrize(
    ("room", "gain"),
    [
        pytest.param(2 << 30, None, id="it fits in memory"),
        pytest.param((2 << 30) - 2, Counterfactual(storage=2.0), id="it does not fit"),
    ],
)
def test_only_the_first_epoch_waits_for_what_fits_in_memory(
    room: int, gain: Counterfactual | None, snapshot: SnapshotAssertion
) -> None:
    sample = Sample(files=9, bytes=1 << 30, complete=True, seconds=0.1)
    data = DataSets(entries=(DataSet(path="/data", sample=sample),))
    seen, memory = MEASURED["storage-bandwidth"], Memory(total=room, available=room)

    finding = judge_bottleneck("storage-bandwidth", seen, data, memory)

    assert finding.remedies[0].title == snapshot
    assert finding.counterfactual == gain


def test_of_no_data_nobody_knows_whether_it_fits() -> None:
    memory = Memory(total=2 << 30, available=2 << 30)
    seen = MEASURED["storage-bandwidth"]

    finding = judge_bottleneck("storage-bandwidth", seen, DataSets(), memory)

    assert finding.counterfactual == Counterfactual(storage=2.0)
