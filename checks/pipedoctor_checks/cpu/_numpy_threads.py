"""Threads that numpy's BLAS starts in every worker unless it is limited."""

from collections.abc import Iterator

from pipedoctor.check import (
    Confidence,
    Counterfactual,
    Finding,
    Findings,
    Remedy,
    Severity,
    environment,
    in_code,
    select_remedies,
)
from pipedoctor.engine.measurements import describe_other_machine
from pipedoctor.facts import BenchLoader, Cpu, OneThread, Threads
from pipedoctor.facts.bench import MIN_WINDOWS
from pipedoctor.facts.site import Launcher
from pipedoctor.units import format_count

BLAS_MAXIMUM = 64
"""The number of threads that the OpenBLAS in numpy's wheels is built for."""


def judge_blas_threads(
    threads: Threads, cpu: Cpu, workers: int, room: float, launcher: Launcher | None
) -> Findings:
    """Numpy's BLAS may start a thread for each CPU in each worker."""
    name, asked = threads.blas_setting or ("", BLAS_MAXIMUM)
    count = min(asked, cpu.visible_cpus)
    if count <= 1 or workers * count <= room:
        return
    where = "the worker" if workers == 1 else f"each of {workers} workers"
    why = f"{name}={asked}" if name else "no variable limits them"
    yield Finding(
        severity=Severity.NOTE,
        confidence=Confidence.POSSIBLE,
        summary=f"numpy may start {count} threads in {where} ({why}), "
        f"for {format_count(cpu.effective, 'CPU')}",
        evidence={
            "blas.threads": count,
            "loader.workers_on_node": workers,
            "cpu.effective": cpu.effective,
        },
        counterfactual=Counterfactual(one_thread=True, blas=True),
        remedies=select_remedies(launcher, *limit_blas_threads("OPENBLAS_NUM_THREADS")),
    )


def find_measurement(benchmark: BenchLoader | None, cpu: Cpu) -> OneThread | None:
    """Return the measurement of both ways on this machine, if it has enough windows."""
    if benchmark is None or describe_other_machine(benchmark.host, cpu):
        return None
    found = benchmark.threads
    return found if found is not None and found.ratio.windows >= MIN_WINDOWS else None


def limit_blas_threads(*names: str) -> Iterator[Remedy]:
    """Limit numpy to one thread: by variables, or in the workers by code."""
    title = "Limit numpy to one thread in every process"
    yield from environment(title, **dict.fromkeys(names, 1))
    yield in_code(
        "Alternatively limit numpy to one thread in each worker",
        "import threadpoolctl  # python -m pip install threadpoolctl\n\n\n"
        "def one_thread(worker_id):\n"
        "    threadpoolctl.threadpool_limits(1)\n\n\n"
        "DataLoader(..., worker_init_fn=one_thread)",
    )
