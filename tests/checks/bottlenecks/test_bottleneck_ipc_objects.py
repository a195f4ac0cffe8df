"""PDR906: many small tensors are handed over one by one."""

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Counterfactual, Severity
from pipedoctor.facts import Facts, Pipeline
from pipedoctor_checks.bottlenecks.bottleneck_ipc_objects import bottleneck_ipc_objects
from tests.checks.bottlenecks.measured_pipelines import (
    BYTE_COSTS,
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
        pytest.param(pipeline(*BYTE_COSTS, contents=LARGE), id="one large tensor"),
        pytest.param(
            pipeline(
                trial(1, 0.03, costs=costs(fetch_wall=0.0367, receive_cpu=0.03)),
                contents=MEASURED["ipc-objects"].contents,
            ),
            id="handing over takes less than 45 %",
        ),
    ],
)
def test_silent(seen: Pipeline) -> None:
    verdict = bottleneck_ipc_objects.run(Facts(seen))

    assert (verdict.findings, verdict.skipped) == ((), "")


def test_speaks() -> None:
    finding = judge_bottleneck("ipc-objects", MEASURED["ipc-objects"])

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "bottleneck of data.py:make: transferring a batch takes 30.0 ms, producing it 1.0: "
        "it has 112 tensors"
    )
    assert round_figures(finding.evidence) == {
        "target": "data.py:make",
        "seconds_per_sample": 0.001875,
        "share": 0.968,
        "share_of": "a batch from its samples to the consumer",
        "handover_seconds": 0.03,
        "batch_seconds": 0.001,
        "objects": 112.0,
        "batch_bytes": 1792.0,
    }


def test_remedies() -> None:
    finding = judge_bottleneck("ipc-objects", MEASURED["ipc-objects"])

    assert list_commands(finding) == [
        (
            "def collate(samples):\n"
            "    values = torch.cat(samples)\n"
            "    lengths = torch.tensor([len(s) for s in samples])\n"
            "    return values, lengths"
        )
    ]
    assert finding.counterfactual == Counterfactual(packed=True)


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    finding = judge_bottleneck("ipc-objects", MEASURED["ipc-objects"])

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    missing = bottleneck_ipc_objects.run(Facts(unknown={"pipeline": "data.py:make: OSError: gone"}))

    assert missing.skipped == "pipeline: data.py:make: OSError: gone"


def test_the_faster_setting_is_there_to_paste() -> None:
    seen = MEASURED["ipc-objects"]
    better = replace(seen, start=setting(0), best=setting(8))
    same = replace(seen, start=setting(0), best=setting(0))
    line = "DataLoader(..., num_workers=8, prefetch_factor=2)"

    assert line in list_commands(judge_bottleneck("ipc-objects", better))
    assert line not in list_commands(judge_bottleneck("ipc-objects", same))


def test_packing_is_priced_where_no_setting_is_faster() -> None:
    seen = MEASURED["ipc-objects"]
    better = replace(seen, best=setting(8))

    packed = judge_bottleneck("ipc-objects", seen).counterfactual
    tuned = judge_bottleneck("ipc-objects", better).counterfactual
    assert packed == Counterfactual(packed=True)
    assert tuned == Counterfactual(tuned=True)
