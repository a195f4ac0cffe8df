"""PDR905: workers' libraries fight for the CPUs."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Counterfactual, Severity
from pipedoctor.facts import Facts, Pipeline
from pipedoctor_checks.bottlenecks.bottleneck_blas_threads import bottleneck_blas_threads
from tests.checks.bottlenecks.measured_pipelines import MEASURED, judge_bottleneck, round_figures
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands
from tests.tune.seen import costs, pipeline, trial


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(
            pipeline(trial(1, 0.02, costs=costs(fetch_process=0.0269, process=0.0269))),
            id="the others use a third",
        ),
        pytest.param(
            pipeline(trial(0, 0.02, costs=costs(fetch_process=0.04, process=0.04))),
            id="without workers they may",
        ),
    ],
)
def test_silent(seen: Pipeline) -> None:
    verdict = bottleneck_blas_threads.run(Facts(seen))

    assert (verdict.findings, verdict.skipped) == ((), "")


def test_speaks() -> None:
    finding = judge_bottleneck("blas-threads", MEASURED["blas-threads"])

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "bottleneck of data.py:make: other threads of a worker use 1.0 times the CPU of "
        "the one that fetches: a numerical library starts its own threads"
    )
    assert round_figures(finding.evidence) == {
        "target": "data.py:make",
        "seconds_per_sample": 0.00125,
        "share": 0.5,
        "share_of": "the CPU time of a worker",
        "other_threads": 1.0,
    }


@pytest.mark.parametrize(
    ("place", "commands"),
    [
        (
            "bare",
            [
                (
                    "import threadpoolctl  # python -m pip install threadpoolctl\n"
                    "\n"
                    "\n"
                    "def one_thread(worker_id):\n"
                    "    threadpoolctl.threadpool_limits(1)\n"
                    "\n"
                    "\n"
                    "DataLoader(..., worker_init_fn=one_thread)"
                ),
                "export OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 OMP_NUM_THREADS=1",
            ],
        ),
        (
            "docker",
            [
                (
                    "import threadpoolctl  # python -m pip install threadpoolctl\n"
                    "\n"
                    "\n"
                    "def one_thread(worker_id):\n"
                    "    threadpoolctl.threadpool_limits(1)\n"
                    "\n"
                    "\n"
                    "DataLoader(..., worker_init_fn=one_thread)"
                ),
                "docker run -e OPENBLAS_NUM_THREADS=1 -e MKL_NUM_THREADS=1 -e OMP_NUM_THREADS=1",
            ],
        ),
        (
            "kubernetes",
            [
                (
                    "import threadpoolctl  # python -m pip install threadpoolctl\n"
                    "\n"
                    "\n"
                    "def one_thread(worker_id):\n"
                    "    threadpoolctl.threadpool_limits(1)\n"
                    "\n"
                    "\n"
                    "DataLoader(..., worker_init_fn=one_thread)"
                ),
                (
                    "kubectl set env deployment/TRAIN OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 "
                    "OMP_NUM_THREADS=1"
                ),
            ],
        ),
        (
            "slurm",
            [
                (
                    "import threadpoolctl  # python -m pip install threadpoolctl\n"
                    "\n"
                    "\n"
                    "def one_thread(worker_id):\n"
                    "    threadpoolctl.threadpool_limits(1)\n"
                    "\n"
                    "\n"
                    "DataLoader(..., worker_init_fn=one_thread)"
                ),
                "export OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 OMP_NUM_THREADS=1",
            ],
        ),
    ],
)
def test_remedies(place: str, commands: list[str]) -> None:
    finding = judge_bottleneck("blas-threads", MEASURED["blas-threads"], PLACES[place])

    assert list_commands(finding) == commands


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    finding = judge_bottleneck("blas-threads", MEASURED["blas-threads"])

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    missing = bottleneck_blas_threads.run(
        Facts(unknown={"pipeline": "data.py:make: OSError: gone"})
    )

    assert missing.skipped == "pipeline: data.py:make: OSError: gone"


def test_the_counterfactual_is_one_thread() -> None:
    finding = judge_bottleneck("blas-threads", MEASURED["blas-threads"])

    assert finding.counterfactual == Counterfactual(one_thread=True, blas=True)
