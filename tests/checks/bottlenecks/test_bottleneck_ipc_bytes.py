"""PDR907: large batches are handed over."""

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Counterfactual, Severity
from pipedoctor.facts import Facts, Pipeline
from pipedoctor_checks.bottlenecks.bottleneck_ipc_bytes import bottleneck_ipc_bytes
from tests.checks.bottlenecks.measured_pipelines import (
    BYTE_COSTS,
    FLOATS,
    LARGE,
    MEASURED,
    judge_bottleneck,
    round_figures,
)
from tests.checks.remedies_by_place import describe_remedies, list_commands
from tests.tune.seen import costs, pipeline, setting, trial


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(MEASURED["ipc-objects"], id="many small tensors"),
        pytest.param(
            pipeline(
                trial(1, 0.03, costs=costs(fetch_wall=0.0367, receive_cpu=0.03)), contents=LARGE
            ),
            id="handing over takes less than 45 %",
        ),
    ],
)
def test_silent(seen: Pipeline) -> None:
    verdict = bottleneck_ipc_bytes.run(Facts(seen))

    assert (verdict.findings, verdict.skipped) == ((), "")


def test_speaks() -> None:
    finding = judge_bottleneck("ipc-bytes", MEASURED["ipc-bytes"])

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "bottleneck of data.py:make: transferring a batch takes 30.0 ms, producing it 11.0: "
        "it has 50.0 MiB"
    )
    assert round_figures(finding.evidence) == {
        "target": "data.py:make",
        "seconds_per_sample": 0.001875,
        "share": 0.732,
        "share_of": "a batch from its samples to the consumer",
        "handover_seconds": 0.03,
        "batch_seconds": 0.011,
        "objects": 1.0,
        "batch_bytes": 52430000.0,
    }


def test_remedies() -> None:
    finding = judge_bottleneck("ipc-bytes", MEASURED["ipc-bytes"])

    assert list_commands(finding) == [""]
    assert finding.counterfactual == Counterfactual(tuned=True)


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    finding = judge_bottleneck("ipc-bytes", MEASURED["ipc-bytes"])

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    missing = bottleneck_ipc_bytes.run(Facts(unknown={"pipeline": "data.py:make: OSError: gone"}))

    assert missing.skipped == "pipeline: data.py:make: OSError: gone"


def test_the_faster_setting_is_there_to_paste() -> None:
    seen = MEASURED["ipc-bytes"]
    better = replace(seen, start=setting(0), best=setting(8))
    same = replace(seen, start=setting(0), best=setting(0))
    line = "DataLoader(..., num_workers=8, prefetch_factor=2)"

    assert line in list_commands(judge_bottleneck("ipc-bytes", better))
    assert line not in list_commands(judge_bottleneck("ipc-bytes", same))


def test_bytes_instead_of_floats_only_where_there_are_floats() -> None:
    floats = judge_bottleneck("ipc-bytes", pipeline(*BYTE_COSTS, contents=FLOATS))
    others = judge_bottleneck("ipc-bytes", MEASURED["ipc-bytes"])

    assert "float().div_(255)" in list_commands(floats)[0]
    assert floats.counterfactual == Counterfactual(uint8=True)
    assert not any("float()" in line for line in list_commands(others))
    assert others.counterfactual == Counterfactual(tuned=True)
