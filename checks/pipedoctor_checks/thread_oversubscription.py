"""PDR723: do the processes of the job start more threads than there are CPUs?"""

import math

from pipedoctor.check import (
    Confidence,
    Counterfactual,
    Finding,
    Findings,
    Severity,
    check,
)
from pipedoctor.facts import BenchLoader, Cpu, Loader, Packages, Site, Threads
from pipedoctor.facts.site import Habitat
from pipedoctor.remedy import environment, fitting
from pipedoctor.units import many
from pipedoctor_checks._numpy_threads import one_each, proved, unlimited
from pipedoctor_checks._one_thread import slower

CAPPED = frozenset({"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"})
"""torch with MKL and OpenBLAS start no more threads than CPUs that they see."""


@check("PDR723", "There are more threads than CPUs", after=("PDR720",))
def thread_oversubscription(  # noqa: PLR0913  (facts)
    cpu: Cpu,
    threads: Threads,
    loader: Loader | None,
    site: Site | None,
    measured: BenchLoader | None = None,
    packages: Packages | None = None,
    /,
    *,
    ratio: float = 1.5,
) -> Findings:
    """
    Multiply the threads that each process starts by the number of processes.

    ## Why it hurts

    Threads of OpenMP and BLAS wait for each other by spinning. When there are more
    of them than CPUs, those that wait hold the CPU that the others need. torch
    limits its own threads to one in every worker, but not numpy's BLAS: matrix
    products in two workers on two CPUs ran 2.7 times faster, in four workers 5.6
    times faster with OPENBLAS_NUM_THREADS=1.

    ## How it is judged

    The CPUs are the least of affinity, cpuset, CPU quota, Slurm's grant and the
    machine. A variable such as OMP_NUM_THREADS that, times the ranks, exceeds them
    by `ratio` slows the job: possibly, if it exceeds the visible CPUs, since torch
    on x86 and OpenBLAS then start one thread a CPU, but torch on ARM, OpenMP and
    Rayon as many as they are told; likely, if even one thread a visible CPU is too
    many, because of ranks or a quota. Where `pipedoctor bench loader` has measured
    the loader on this machine with one thread and without limit, in turns
    (`check --measured FILE`), that decides about numpy's BLAS: it slows the job if
    one thread is faster by the whole interval. Else, with the workers known and
    numpy not known to be absent, the threads of numpy's BLAS in all of them are a
    note: they hurt only where the transforms calculate with numpy or scipy, which
    nobody can see from outside. No variable means one thread for each visible CPU.

    ## Sources

    - https://numpy.org/doc/stable/reference/global_state.html
    - https://scikit-learn.org/stable/computing/parallelism.html
    - https://docs.pytorch.org/docs/stable/notes/multiprocessing.html
    """
    tasks = site.tasks if site else 1
    ranks = math.ceil(((loader.ranks if loader else None) or 1) / tasks)
    room = cpu.effective * ratio
    high = {n: t for n, t in threads.asked.items() if t > 1 and t * ranks > room}
    habitat = site.habitat if site else None
    proof = proved(measured, cpu)
    if high:
        yield _too_many(high, cpu, ranks, room, habitat)
    elif measured is not None and proof is not None:
        if proof.ratio.above(1.0):
            remedies = fitting(habitat, *one_each(*proof.variables))
            yield slower(measured, proof, remedies)
    elif packages is None or not packages.lacks("numpy"):
        asked = (loader.workers_on_node if loader else None) or 0
        yield from unlimited(threads, cpu, math.ceil(asked / tasks), room, habitat)


def _too_many(
    high: dict[str, int], cpu: Cpu, ranks: int, room: float, habitat: Habitat | None
) -> Finding:
    """Variables ask for more threads than there are CPUs."""
    name, count = max(high.items(), key=lambda pair: pair[1])
    capped = min(cpu.visible, max([high[n] for n in CAPPED & high.keys()] or [1]))
    sure = capped > 1 and capped * ranks > room
    times = f" in each of {ranks} ranks" if ranks > 1 else ""
    title = "Ask for no more threads than CPUs"
    each = dict.fromkeys(high, cpu.share(ranks))
    return Finding(
        severity=Severity.SLOWS,
        confidence=Confidence.LIKELY if sure else Confidence.POSSIBLE,
        summary=f"{name}={count}{times}, for {many(cpu.effective, 'CPU')}",
        evidence={**high, "cpu.effective": cpu.effective, "loader.ranks": ranks},
        counterfactual=Counterfactual(one_thread=True),
        remedies=fitting(habitat, *environment(title, **each)),
    )
