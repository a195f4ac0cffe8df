"""PDR723 speaks when processes start more threads than there are CPUs."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.cpu import cpu
from pipedoctor.collect.system.threads import threads as read
from pipedoctor.facts import (
    Cpu,
    Facts,
    Loader,
    Quota,
    Site,
    Slurm,
    Threads,
)
from pipedoctor_checks.cpu.thread_oversubscription import thread_oversubscription

FOUR = Cpu(logical=4, affinity=4)
BARE = Site(system="linux")
POD = Site(system="linux", container="kubernetes")
DOCKER = Site(system="linux", container="docker")
UNSET = Threads()
WIDE = Cpu(logical=64, affinity=64, quota=Quota(cpus=4, source="cpu.max"))


def two_cpus() -> bool:
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1


def omp(count: int) -> Threads:
    return Threads(asked={"OMP_NUM_THREADS": count})


@pytest.mark.parametrize(
    ("machine", "threads", "loader"),
    [
        pytest.param(FOUR, UNSET, None, id="nothing set, no job"),
        pytest.param(FOUR, omp(6), None, id="exactly the ratio"),
        pytest.param(FOUR, omp(3), Loader(ranks=2), id="exactly, over two ranks"),
        pytest.param(Cpu(logical=1, affinity=1), omp(1), Loader(num_workers=9, ranks=9), id="one"),
        pytest.param(FOUR, omp(1), Loader(num_workers=9), id="one in each worker"),
        pytest.param(FOUR, UNSET, Loader(num_workers=1), id="a single worker"),
        pytest.param(FOUR, UNSET, Loader(ranks=4), id="workers not known"),
        pytest.param(FOUR, omp(3), Loader(num_workers=2), id="two workers that fit"),
        pytest.param(FOUR, Threads(odd={"OMP_NUM_THREADS": "many"}), None, id="not a number"),
        pytest.param(
            FOUR,
            Threads(asked={"OMP_NUM_THREADS": 4, "OPENBLAS_NUM_THREADS": 1}),
            Loader(num_workers=4),
            id="BLAS limited by its own variable",
        ),
    ],
)
def test_silent(machine: Cpu, threads: Threads, loader: Loader | None) -> None:
    assert thread_oversubscription(machine, threads, loader, BARE) == []


def test_a_variable_beyond_the_cpus_slows() -> None:
    (finding,) = thread_oversubscription(FOUR, omp(64), None, BARE)

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.POSSIBLE
    assert finding.summary == "OMP_NUM_THREADS=64, for 4 CPUs"
    assert finding.evidence == {
        "OMP_NUM_THREADS": 64,
        "cpu.effective": 4,
        "loader.ranks": 1,
    }
    (remedy,) = finding.remedies
    assert remedy.snippet == "export OMP_NUM_THREADS=4"
    assert not remedy.automatic


def test_what_is_set_suffices_for_numpy_in_the_workers_too() -> None:
    four, one = Loader(num_workers=4), Loader(num_workers=1)

    (crowded,) = thread_oversubscription(FOUR, omp(64), four, BARE)
    (roomy,) = thread_oversubscription(FOUR, omp(64), one, BARE)

    assert crowded.remedies[0].snippet == "export OMP_NUM_THREADS=4 OPENBLAS_NUM_THREADS=1"
    assert roomy.remedies[0].snippet == "export OMP_NUM_THREADS=4"


@pytest.mark.parametrize(
    ("machine", "asked", "ranks", "confidence"),
    [
        pytest.param(WIDE, {"OMP_NUM_THREADS": 64}, 1, Confidence.LIKELY, id="beyond the quota"),
        pytest.param(FOUR, {"MKL_NUM_THREADS": 4}, 2, Confidence.LIKELY, id="times the ranks"),
        pytest.param(FOUR, {"OMP_NUM_THREADS": 7}, 1, Confidence.POSSIBLE, id="torch caps it"),
        pytest.param(WIDE, {"RAYON_NUM_THREADS": 64}, 1, Confidence.POSSIBLE, id="Rayon alone"),
        pytest.param(
            WIDE,
            {"RAYON_NUM_THREADS": 64, "OMP_NUM_THREADS": 6},
            1,
            Confidence.POSSIBLE,
            id="Rayon beside OpenMP that fits",
        ),
        pytest.param(Cpu(logical=2), {"OMP_NUM_THREADS": 2}, 2, Confidence.LIKELY, id="two each"),
        pytest.param(
            Cpu(logical=3, quota=Quota(cpus=2, source="cpu.max")),
            {"OMP_NUM_THREADS": 9},
            1,
            Confidence.POSSIBLE,
            id="capped to exactly the ratio",
        ),
        pytest.param(
            Cpu(logical=1, affinity=1),
            {"OMP_NUM_THREADS": 9},
            4,
            Confidence.POSSIBLE,
            id="one visible CPU, one thread",
        ),
    ],
)
def test_confidence(
    machine: Cpu, asked: dict[str, int], ranks: int, confidence: Confidence
) -> None:
    threads, loader = Threads(asked=asked), Loader(ranks=ranks)

    (finding,) = thread_oversubscription(machine, threads, loader, BARE)

    assert finding.confidence is confidence


def test_the_highest_is_named_and_all_are_cured(snapshot: SnapshotAssertion) -> None:
    asked = {"MKL_NUM_THREADS": 8, "OMP_NUM_THREADS": 7, "RAYON_NUM_THREADS": 2}

    (finding,) = thread_oversubscription(FOUR, Threads(asked=asked), None, DOCKER)

    assert finding.summary == snapshot
    assert finding.remedies[0].shell == ("docker run -e MKL_NUM_THREADS=4 -e OMP_NUM_THREADS=4")


def test_ranks_share_the_cpus(snapshot: SnapshotAssertion) -> None:
    (finding,) = thread_oversubscription(FOUR, omp(4), Loader(ranks=2), POD)

    assert finding.summary == snapshot
    assert finding.remedies[0].shell == ("kubectl set env deployment/TRAIN OMP_NUM_THREADS=2")


def test_a_single_cpu_in_words() -> None:
    half = Cpu(logical=8, affinity=8, quota=Quota(cpus=0.5, source="cpu.max"))

    (finding,) = thread_oversubscription(half, omp(2), None, BARE)

    assert finding.summary == "OMP_NUM_THREADS=2, for 1 CPU"


@pytest.mark.parametrize(
    ("threads", "loader"),
    [
        pytest.param(omp(4), Loader(ranks=8), id="a rank in each task"),
        pytest.param(omp(3), Loader(num_workers=2, ranks=8), id="its workers"),
    ],
)
def test_slurm_gives_each_task_its_own_cpus(threads: Threads, loader: Loader) -> None:
    node = Site(system="linux", slurm=Slurm(job_id="7", tasks_per_node=8))

    assert thread_oversubscription(FOUR, threads, loader, node) == []
    assert thread_oversubscription(FOUR, threads, loader, BARE)


def test_the_ratio_is_a_setting() -> None:
    assert thread_oversubscription(FOUR, omp(5), None, BARE, ratio=1.0)
    assert thread_oversubscription(FOUR, omp(64), None, BARE, ratio=16) == []


def test_unknown_environment_is_not_health() -> None:
    verdict = thread_oversubscription.run(
        Facts(FOUR, unknown={"threads": "/proc/7/environ: Permission denied"})
    )

    assert verdict.skipped == "threads: /proc/7/environ: Permission denied"


def test_judges_another_machine_from_its_record() -> None:
    record: dict[str, Any] = json.loads(json.dumps(Facts(FOUR, omp(64)).to_record()))

    verdict = thread_oversubscription.run(Facts.from_record(record))

    assert verdict.findings == tuple(thread_oversubscription(FOUR, omp(64), None, None))


@pytest.mark.extended
@pytest.mark.skipif(not two_cpus(), reason="needs two CPUs that we may use")
def test_the_illness_is_real_and_the_remedy_cures_it() -> None:
    pytest.importorskip("torch")
    here = cpu(Machine(environ={}), lambda _: None)
    ranks = Loader(ranks=2)
    ill = f"export OMP_NUM_THREADS={here.visible_cpus}"
    (finding,) = thread_oversubscription(here, environment(ill), ranks, BARE)
    (remedy,) = finding.remedies

    assert 2 * torch_threads(ill) == 2 * here.visible_cpus
    assert torch_threads(ill, remedy.snippet) == max(1, here.effective // 2)
    cured = environment(ill, remedy.snippet)
    assert thread_oversubscription(here, cured, ranks, BARE) == []
    assert thread_oversubscription(here, environment(ill), ranks, BARE) == [finding]


@pytest.mark.slow
@pytest.mark.skipif(not two_cpus(), reason="needs two CPUs that we may use")
def test_numpy_starts_threads_in_a_worker_unless_told_otherwise() -> None:
    here = cpu(Machine(environ={}), lambda _: None)
    (finding,) = thread_oversubscription(here, UNSET, Loader(num_workers=4), BARE)
    remedy = finding.remedies[0]

    assert numpy_threads() == finding.evidence["blas.threads"]
    assert numpy_threads(remedy.snippet) == 1


@pytest.mark.slow
def test_openmp_itself_starts_as_many_as_it_is_told() -> None:
    torch = pytest.importorskip("torch")
    library = next(Path(torch.__file__).parent.glob("lib/libgomp*"), None)
    if library is None:
        pytest.skip("this torch brings no libgomp")
    code = f"import ctypes; print(ctypes.CDLL({str(library)!r}).omp_get_max_threads())"

    assert output(code, "export OMP_NUM_THREADS=99") == "99"


def environment(*exports: str) -> Threads:
    """What our collector reads after these shell lines."""
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    environ = json.loads(output(code, *exports))
    return read(Machine(environ=environ), lambda _: None)


def torch_threads(*exports: str) -> int:
    return int(output("import torch; print(torch.get_num_threads())", *exports))


def numpy_threads(*exports: str) -> int:
    """Threads of a process that has multiplied two matrices."""
    code = (
        "import os, numpy as np; a = np.ones((400, 400)); a @ a;"
        "print(len(os.listdir('/proc/self/task')))"
    )
    return int(output(code, *exports))


def output(code: str, *exports: str) -> str:
    script = "; ".join((*exports, shlex.join((sys.executable, "-c", code))))
    done = subprocess.run(
        ["sh", "-c", script],
        check=True,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin"},
    )
    return done.stdout.strip()
