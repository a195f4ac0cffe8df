"""Threads that numpy's BLAS starts in every worker unless it is told not to."""

from collections.abc import Iterator

from pipedoctor.check import Confidence, Counterfactual, Finding, Findings, Severity
from pipedoctor.facts import BenchLoader, Cpu, OneThread, Threads
from pipedoctor.facts.bench import ENOUGH
from pipedoctor.facts.site import Habitat
from pipedoctor.measured import elsewhere
from pipedoctor.remedy import Remedy, environment, fitting, in_code
from pipedoctor.units import many

BLAS_MAXIMUM = 64
"""Threads that the OpenBLAS inside numpy's wheels is built for."""


def unlimited(
    threads: Threads, cpu: Cpu, workers: int, room: float, habitat: Habitat | None
) -> Findings:
    """Numpy's BLAS may start a thread for each CPU in each worker."""
    name, asked = threads.blas or ("", BLAS_MAXIMUM)
    count = min(asked, cpu.visible)
    if count <= 1 or workers * count <= room:
        return
    where = "the worker" if workers == 1 else f"each of {workers} workers"
    why = f"{name}={asked}" if name else "no variable limits them"
    yield Finding(
        severity=Severity.NOTE,
        confidence=Confidence.POSSIBLE,
        summary=f"numpy may start {count} threads in {where} ({why}), "
        f"for {many(cpu.effective, 'CPU')}",
        evidence={
            "blas.threads": count,
            "loader.workers_on_node": workers,
            "cpu.effective": cpu.effective,
        },
        counterfactual=Counterfactual(one_thread=True, blas=True),
        remedies=fitting(habitat, *one_each("OPENBLAS_NUM_THREADS")),
    )


def proved(measured: BenchLoader | None, cpu: Cpu) -> OneThread | None:
    """Both ways as they were measured here, often enough to be compared."""
    if measured is None or elsewhere(measured.host, cpu):
        return None
    found = measured.threads
    return found if found is not None and found.ratio.windows >= ENOUGH else None


def one_each(*names: str) -> Iterator[Remedy]:
    """In the workers by code, or everywhere by these variables."""
    yield in_code(
        "Give numpy one thread in each worker",
        "import threadpoolctl\n\n\n"
        "def one_thread(worker_id):\n"
        "    threadpoolctl.threadpool_limits(1)\n\n\n"
        "DataLoader(..., worker_init_fn=one_thread)",
    )
    title = "Give numpy one thread in every process"
    yield from environment(title, **dict.fromkeys(names, 1))
