"""What PDR723 says of the threads that numpy starts in workers."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import (
    BenchLoader,
    Cpu,
    Host,
    Loader,
    OneThread,
    Packages,
    Quota,
    Site,
    Spread,
    Threads,
)
from pipedoctor.facts.packages import Distribution
from pipedoctor_checks.cpu.thread_oversubscription import thread_oversubscription

FOUR = Cpu(logical=4, affinity=4)
BARE = Site(system="linux")
UNSET = Threads()
WIDE = Cpu(logical=64, affinity=64, quota=Quota(cpus=4, source="cpu.max"))


def test_workers_without_a_limit_are_a_note() -> None:
    (finding,) = thread_oversubscription(FOUR, UNSET, Loader(num_workers=2), BARE)

    assert finding.severity is Severity.NOTE
    assert finding.confidence is Confidence.POSSIBLE
    assert finding.summary == (
        "numpy may start 4 threads in each of 2 workers (no variable limits them), for 4 CPUs"
    )
    assert finding.evidence == {
        "blas.threads": 4,
        "loader.workers_on_node": 2,
        "cpu.effective": 4,
    }
    env, code = finding.remedies
    assert "threadpoolctl.threadpool_limits(1)" in code.snippet
    assert env.snippet == "export OPENBLAS_NUM_THREADS=1"


NUMPY = Distribution(name="numpy", version="2.3.0")


@pytest.mark.parametrize(
    ("packages", "findings"),
    [
        (Packages(), 0),
        (Packages(entries=(NUMPY,)), 1),
        (Packages(complete=False), 1),
        (Packages(unreadable=("numpy-2.3.0.dist-info: Permission denied",)), 1),
    ],
    ids=["no numpy", "numpy", "an excerpt", "not all could be read"],
)
def test_numpy_that_is_not_there_starts_none(packages: Packages, findings: int) -> None:
    job = Loader(num_workers=2)

    found = thread_oversubscription(FOUR, UNSET, job, BARE, None, packages)

    assert len(found) == findings


def test_a_single_worker_beyond_the_quota_is_enough(snapshot: SnapshotAssertion) -> None:
    (finding,) = thread_oversubscription(WIDE, UNSET, Loader(num_workers=1), BARE)

    assert finding.summary == snapshot


def test_workers_with_too_high_a_limit_are_a_note(snapshot: SnapshotAssertion) -> None:
    (finding,) = thread_oversubscription(
        FOUR, Threads(asked={"OMP_NUM_THREADS": 2}), Loader(num_workers=4), BARE
    )

    assert finding.summary == snapshot


def test_blas_knows_no_quota_and_has_a_maximum() -> None:
    wide = Cpu(logical=128, affinity=128, quota=Quota(cpus=4, source="cpu.max"))

    (finding,) = thread_oversubscription(wide, UNSET, Loader(num_workers=2), BARE)

    assert finding.evidence["blas.threads"] == 64


def spread(value: float, off: float, windows: int) -> Spread:
    return Spread(value=value, low=value - off, high=value + off, windows=windows)


def turns(ratio: float, off: float = 0.2, windows: int = 5, model: str = "Xeon") -> BenchLoader:
    """What `bench loader` found with one thread and without limit."""
    found = OneThread(
        variables=("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
        before=spread(50.0, 1.0, windows),
        after=spread(50.0 * ratio, 1.0, windows),
        ratio=spread(ratio, off, windows),
        cpu_before=0.08,
        cpu_after=0.02,
    )
    host = Host(model=model, cpus=4, effective=4, created="2026-01-01T00:00:00Z")
    return BenchLoader(host=host, target="a.py:make", num_workers=2, threads=found)


XEON = Cpu(logical=4, affinity=4, model="Xeon")


NOTED = ["numpy may start 4 threads in each of 2 workers (no variable limits them)"]


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        pytest.param(turns(1.2), [], id="not for certain"),
        pytest.param(turns(0.5), [], id="slower with one"),
        pytest.param(turns(2.0, windows=2), NOTED, id="too few windows"),
        pytest.param(turns(2.0, model="EPYC"), NOTED, id="on another machine"),
        pytest.param(
            BenchLoader(host=turns(1).host, target="a", num_workers=1),
            NOTED,
            id="nothing measured of threads",
        ),
    ],
)
def test_what_was_measured_decides(measured: BenchLoader, said: list[str]) -> None:
    two = Loader(num_workers=2)

    found = thread_oversubscription(XEON, UNSET, two, BARE, measured)

    assert [finding.summary.partition(", for")[0] for finding in found] == said


def test_one_thread_was_measured_to_be_faster(snapshot: SnapshotAssertion) -> None:
    (finding,) = thread_oversubscription(XEON, UNSET, None, BARE, turns(2.0, windows=3))

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == snapshot
    assert finding.evidence == {
        "ratio": [1.8, 2.0, 2.2],
        "samples_per_second": [50.0, 100.0],
        "cpu_seconds_per_batch": [0.08, 0.02],
        "measured": "2026-01-01T00:00:00Z",
    }
    gain = finding.gain
    assert gain is not None
    assert (gain.value, gain.unit, gain.basis) == (
        0.5,
        "fraction of the loader's time",
        "measured",
    )
    assert gain.low == pytest.approx(1 - 1 / 1.8)
    assert gain.high == pytest.approx(1 - 1 / 2.2)
    assert finding.remedies[0].snippet == ("export OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1")
