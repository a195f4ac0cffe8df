"""PDR911: what keeping memory gains, measured of decoding or of a whole pipeline."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Counterfactual, Finding, Severity
from pipedoctor.facts import BenchDecode, Cpu, Facts, Host, Pipeline, Site, Spread
from pipedoctor.facts.bench_decode import DecodePath, Images
from pipedoctor_checks.bottlenecks.bottleneck_allocator_faults import (
    bottleneck_allocator_faults,
)
from tests.checks.bottlenecks.measured_pipelines import MEASURED, judge_bottleneck, round_figures
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands
from tests.tune.seen import costs, pipeline, trial

HOST = Host(model="Acme 9", cpus=8, effective=8, created="2026-01-01T00:00:00Z")
RATE = Spread(value=60.0, low=59.0, high=61.0, windows=5)
KEPT = "PILLOW_BLOCKS_MAX=64"


def measured(low: float = 2.0, faults: float = 4000.0, windows: int = 5) -> BenchDecode:
    plain = DecodePath(library="pillow", name="PIL", task="decode", rate=RATE, faults=faults)
    kept = DecodePath(
        library="pillow",
        name="PIL",
        task="decode",
        rate=RATE,
        faults=3.0,
        allocator=KEPT,
        kept=Spread(value=low + 0.1, low=low, high=low + 0.2, windows=windows),
    )
    images = Images(count=1, bytes=1)
    return BenchDecode(host=HOST, images=images, paths=(plain, kept))


def judged(*facts: Any, **settings: Any) -> list[Finding]:
    verdict = bottleneck_allocator_faults.run(Facts(*facts), **settings)
    assert not verdict.skipped, verdict.skipped
    return list(verdict.findings)


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(measured(low=1.15), id="the boundary of the gain"),
        pytest.param(measured(faults=100.0), id="the boundary of the faults"),
        pytest.param(measured(windows=2), id="too few windows"),
        pytest.param(
            BenchDecode(host=HOST, images=Images(count=1, bytes=1), paths=measured().paths[:1]),
            id="nothing to keep",
        ),
        pytest.param(
            BenchDecode(host=HOST, images=Images(count=1, bytes=1), paths=measured().paths[1:]),
            id="nothing to compare with",
        ),
    ],
)
def test_silent(found: BenchDecode) -> None:
    assert judged(found) == []


def test_it_speaks() -> None:
    (finding,) = judged(measured(), Site(system="linux"))

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "PIL is 2.10 times as fast if memory is kept: 4000 page faults per image otherwise"
    )
    assert finding.evidence == {
        "task": "decode",
        "faults": 4000.0,
        "faults_kept": 3.0,
        "ratio": [2.0, 2.1, 2.2],
        "measured": "2026-01-01T00:00:00Z",
    }
    assert finding.gain is not None
    assert finding.gain.value == pytest.approx(1 - 1 / 2.1)
    assert finding.gain.low == 0.5
    assert finding.gain.high == pytest.approx(1 - 1 / 2.2)
    (remedy,) = finding.remedies
    assert remedy.snippet == f"export {KEPT}"


def test_the_user_decides() -> None:
    assert judged(measured(), faster=2.0) == []
    assert judged(measured(), faults=4000.0) == []


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (
            [measured(), Cpu(logical=4, model="Acme 9")],
            "it was measured on another machine: Acme 9, 8 CPUs",
        ),
        (
            [BenchDecode(host=HOST, images=Images(count=0, bytes=0))],
            "no decoder was measured",
        ),
        ([], "neither `bench decode` nor a pipeline was measured"),
    ],
)
def test_unknown_is_not_health(facts: list[Any], reason: str) -> None:
    assert bottleneck_allocator_faults.run(Facts(*facts)).skipped == reason


SEEN = MEASURED["allocator-faults"]


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(pipeline(trial(1, 0.02)), id="no page faults"),
        pytest.param(
            pipeline(trial(1, 0.02, costs=costs(fetch_faults=12_000.0))),
            id="faults that take 30 %",
        ),
    ],
)
def test_silent_of_a_pipeline(seen: Pipeline) -> None:
    assert judged(seen) == []


def test_speaks_of_a_pipeline() -> None:
    finding = judge_bottleneck("allocator-faults", SEEN)

    assert finding.severity is Severity.SLOWS
    assert round_figures(finding.evidence) == {
        "target": "data.py:make",
        "seconds_per_sample": 0.000625,
        "share": 0.5,
        "share_of": "the CPU time to fetch",
        "faults": 20_000.0,
    }
    assert finding.counterfactual == Counterfactual(faultless=True)


PAIRS = "PILLOW_BLOCKS_MAX=64 MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=1073741824"


@pytest.mark.parametrize(
    ("place", "command"),
    [
        ("bare", f"export {PAIRS}"),
        ("docker", f"docker run -e {PAIRS.replace(' ', ' -e ')}"),
        ("kubernetes", f"kubectl set env deployment/TRAIN {PAIRS}"),
        ("slurm", f"export {PAIRS}"),
    ],
)
def test_remedies_of_a_pipeline(place: str, command: str) -> None:
    finding = judge_bottleneck("allocator-faults", SEEN, PLACES[place])

    assert list_commands(finding) == [command]


def test_wording(snapshot: SnapshotAssertion) -> None:
    finding = judge_bottleneck("allocator-faults", SEEN)

    assert finding.summary == snapshot(name="summary")
    assert describe_remedies(finding) == snapshot(name="remedies")


def test_faults_of_a_pipeline_do_not_need_the_images() -> None:
    """What `bench decode` lacks is not asked of it where the loader was measured."""
    nothing = BenchDecode(
        host=Host(model="A", cpus=1, effective=1, created=""),
        images=Images(count=0, bytes=0),
    )
    finding = judge_bottleneck("allocator-faults", SEEN, nothing)

    assert finding.evidence["faults"] == 20_000.0
