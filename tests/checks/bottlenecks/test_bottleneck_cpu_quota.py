"""PDR910: the CPU quota stops the loader."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Counterfactual, Severity
from pipedoctor.facts import Cpu, Facts, Pipeline
from pipedoctor_checks.bottlenecks.bottleneck_cpu_quota import bottleneck_cpu_quota
from tests.checks.bottlenecks.measured_pipelines import MEASURED, judge_bottleneck, round_figures
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands
from tests.tune.seen import pipeline, setting, trial, window


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(
            pipeline(
                trial(1, 0.04, window=window(throttled_share=0.2)),
                start=setting(1),
                cpus=0.5,
                cpus_bound="cgroup quota",
            ),
            id="stopped in a fifth of the periods",
        ),
        pytest.param(
            pipeline(
                trial(1, 0.04, window=window(throttled_share=0.9)),
                start=setting(1),
                cpus_bound="affinity",
            ),
            id="no quota",
        ),
    ],
)
def test_silent(seen: Pipeline) -> None:
    verdict = bottleneck_cpu_quota.run(Facts(seen))

    assert (verdict.findings, verdict.skipped) == ((), "")


def test_speaks() -> None:
    finding = judge_bottleneck("cpu-quota", MEASURED["cpu-quota"])

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "bottleneck of data.py:make: the cgroup may use 0.5 CPUs and was throttled "
        "in 90% of its periods"
    )
    assert round_figures(finding.evidence) == {
        "target": "data.py:make",
        "seconds_per_sample": 0.00225,
        "share": 0.9,
        "share_of": "the periods of the quota",
        "cpus": 0.5,
        "throttled_share": 0.9,
    }


@pytest.mark.parametrize(
    ("place", "commands"),
    [
        ("bare", []),
        ("docker", ["docker run --cpus=2"]),
        (
            "kubernetes",
            [
                (
                    "kubectl patch deployment TRAIN --patch "
                    '\'{"spec":{"template":{"spec":{"containers":[{"name":"train","resources":{"limits'
                    '":{"cpu":"2"}}}]}}}}\''
                )
            ],
        ),
        ("slurm", ["sbatch --cpus-per-task=2"]),
    ],
)
def test_remedies(place: str, commands: list[str]) -> None:
    finding = judge_bottleneck("cpu-quota", MEASURED["cpu-quota"], PLACES[place])

    assert list_commands(finding) == commands


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    finding = judge_bottleneck("cpu-quota", MEASURED["cpu-quota"])

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    missing = bottleneck_cpu_quota.run(Facts(unknown={"pipeline": "data.py:make: OSError: gone"}))

    assert missing.skipped == "pipeline: data.py:make: OSError: gone"


@pytest.mark.parametrize(
    ("cpu", "cores"), [(None, 2.0), (Cpu(logical=8), 8.0), (Cpu(logical=1), 2.0)]
)
def test_the_quota_is_lifted_to_what_the_process_sees(cpu: Cpu | None, cores: float) -> None:
    finding = judge_bottleneck("cpu-quota", MEASURED["cpu-quota"], *([cpu] if cpu else []))

    assert f"docker run --cpus={cores:.0f}" in list_commands(finding)
    assert finding.counterfactual == Counterfactual(cores=cores)
