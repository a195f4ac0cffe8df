"""PDR723: do the processes of the job start more threads than there are CPUs?"""

import math

from pipedoctor.check import (
    Confidence,
    Counterfactual,
    Finding,
    Findings,
    Severity,
    check,
    environment,
    select_remedies,
)
from pipedoctor.facts import BenchLoader, Cpu, Loader, Packages, Site, Threads
from pipedoctor.facts.site import Launcher
from pipedoctor.units import format_count
from pipedoctor_checks.cpu._numpy_threads import (
    find_measurement,
    judge_blas_threads,
    limit_blas_threads,
)
from pipedoctor_checks.cpu._one_thread import report_thread_gain

CAPPED_VARIABLES = frozenset({"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"})
"""torch with MKL, and OpenBLAS, start no more threads than the CPUs they see."""


@check("PDR723", "More threads than CPUs", after=("PDR720",))
def thread_oversubscription(  # noqa: PLR0913  (facts)
    cpu: Cpu,
    threads: Threads,
    loader: Loader | None,
    site: Site | None,
    benchmark: BenchLoader | None = None,
    packages: Packages | None = None,
    /,
    *,
    ratio: float = 1.5,
) -> Findings:
    """
    Multiply the threads that each process starts by the number of processes.

    ## Why it hurts

    Threads of OpenMP and BLAS busy-wait for each other. If there are more of them than
    CPUs, waiting threads occupy the CPUs that the others need. torch limits its own
    threads to one in every worker, but not numpy's BLAS: matrix products in two workers
    on two CPUs ran 2.7 times faster, in four workers 5.6 times faster with
    OPENBLAS_NUM_THREADS=1.

    ## How it is judged

    The number of CPUs is the least of affinity, cpuset, CPU quota, Slurm's grant and
    the machine. A variable such as OMP_NUM_THREADS that, times the ranks, exceeds it by
    `ratio` slows the job: possibly, if it exceeds the visible CPUs, since torch on x86
    and OpenBLAS then start one thread per CPU, but torch on ARM, OpenMP and Rayon as
    many as requested; likely, if even one thread per visible CPU is too many, because
    of ranks or a quota. If `pipedoctor bench loader` has measured the loader on this
    machine with one thread and without a limit, alternating (`check --measured FILE`),
    that measurement decides about numpy's BLAS: it slows the job if one thread is
    faster by the whole interval. Otherwise, if the workers are known and numpy is not
    known to be absent, the threads of numpy's BLAS in all of them are a note: they hurt
    only if the transforms compute with numpy or scipy, which cannot be seen from
    outside. No variable means one thread for each visible CPU.

    ## Sources

    - https://numpy.org/doc/stable/reference/global_state.html
    - https://scikit-learn.org/stable/computing/parallelism.html
    - https://docs.pytorch.org/docs/stable/notes/multiprocessing.html
    """
    tasks = site.tasks_on_node if site else 1
    ranks = math.ceil(((loader.ranks if loader else None) or 1) / tasks)
    room = cpu.effective * ratio
    high = {n: t for n, t in threads.asked.items() if t > 1 and t * ranks > room}
    launcher = site.launcher if site else None
    proof = find_measurement(benchmark, cpu)
    asked = (loader.workers_on_node if loader else None) or 0
    workers = 0 if packages and packages.is_absent("numpy") else math.ceil(asked / tasks)
    if high:
        yield _report_excess(high, cpu, ranks, workers, launcher, room=room)
    elif benchmark is not None and proof is not None:
        if proof.ratio.is_above(1.0):
            remedies = select_remedies(launcher, *limit_blas_threads(*proof.variables))
            yield report_thread_gain(benchmark, proof, remedies)
    else:
        yield from judge_blas_threads(threads, cpu, workers, room, launcher)


def _report_excess(
    high: dict[str, int],
    cpu: Cpu,
    ranks: int,
    workers: int,
    launcher: Launcher | None,
    *,
    room: float,
) -> Finding:
    """Variables ask for more threads than there are CPUs."""
    name, count = max(high.items(), key=lambda pair: pair[1])
    capped = min(cpu.visible_cpus, max([high[n] for n in CAPPED_VARIABLES & high.keys()] or [1]))
    sure = capped > 1 and capped * ranks > room
    times = f" in each of {ranks} ranks" if ranks > 1 else ""
    title = "Limit threads to the number of CPUs"
    each = dict.fromkeys(high, cpu.divide_by_ranks(ranks))
    if workers * max(each.values()) > room:  # numpy in the workers obeys the same variables
        each["OPENBLAS_NUM_THREADS"] = 1
        each |= {"MKL_NUM_THREADS": 1} if "MKL_NUM_THREADS" in high else {}
    return Finding(
        severity=Severity.SLOWS,
        confidence=Confidence.LIKELY if sure else Confidence.POSSIBLE,
        summary=f"{name}={count}{times}, for {format_count(cpu.effective, 'CPU')}",
        evidence={**high, "cpu.effective": cpu.effective, "loader.ranks": ranks},
        counterfactual=Counterfactual(one_thread=True),
        remedies=select_remedies(launcher, *environment(title, **each)),
    )
