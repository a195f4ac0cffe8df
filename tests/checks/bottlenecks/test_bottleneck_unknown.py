"""PDR914: the loader was measured, and no step stands out."""

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import Facts, Pipeline
from pipedoctor_checks.bottlenecks.bottleneck_unknown import bottleneck_unknown
from tests.checks.bottlenecks.measured_pipelines import MEASURED, judge_bottleneck, round_figures
from tests.checks.remedies_by_place import describe_remedies, list_commands
from tests.tune.seen import setting


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(MEASURED["transform-cpu"], id="a cause is known"),
        pytest.param(MEASURED["consumer"], id="the consumer is slow"),
    ],
)
def test_silent(seen: Pipeline) -> None:
    verdict = bottleneck_unknown.run(Facts(seen))

    assert (verdict.findings, verdict.skipped) == ((), "")


def test_speaks() -> None:
    finding = judge_bottleneck("unknown", MEASURED["unknown"])

    assert finding.severity is Severity.NOTE
    assert finding.confidence is Confidence.POSSIBLE
    assert finding.summary == "bottleneck of data.py:make: no stage dominates in the measurement"
    assert round_figures(finding.evidence) == {"target": "data.py:make"}


def test_remedies() -> None:
    finding = judge_bottleneck("unknown", MEASURED["unknown"])

    assert list_commands(finding) == ["pipedoctor bench loader data.py:make"]
    assert finding.counterfactual is None


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    finding = judge_bottleneck("unknown", MEASURED["unknown"])

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    missing = bottleneck_unknown.run(Facts(unknown={"pipeline": "data.py:make: OSError: gone"}))

    assert missing.skipped == "pipeline: data.py:make: OSError: gone"


def test_the_faster_setting_is_there_to_paste() -> None:
    seen = MEASURED["unknown"]
    better = replace(seen, start=setting(0), best=setting(8))
    same = replace(seen, start=setting(0), best=setting(0))
    line = "DataLoader(..., num_workers=8, prefetch_factor=2)"

    assert line in list_commands(judge_bottleneck("unknown", better))
    assert line not in list_commands(judge_bottleneck("unknown", same))


def test_it_claims_no_share() -> None:
    finding = judge_bottleneck("unknown", MEASURED["unknown"])

    assert "share" not in finding.evidence
