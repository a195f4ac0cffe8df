"""PDR926: may a worker run on other CPUs than the main process?"""

from pipedoctor.check import (
    Confidence,
    Finding,
    Findings,
    Severity,
    check,
    in_code,
)
from pipedoctor.facts import LiveJob
from pipedoctor_checks.live._growth import name_process


@check("PDR926", "Workers may run on other CPUs than the main process")
def worker_affinity_differs(job: LiveJob, /) -> Findings:
    """
    Compare the CPUs that workers may use with those of their main process.

    ## Why it hurts

    Workers inherit the affinity of the thread that starts them. A library that pins
    that thread to one CPU (OpenMP with `OMP_PROC_BIND`, for example) pins all workers to
    the same CPU, and they compete for it.

    ## How it is judged

    `pipedoctor watch PID` asks the kernel for the affinity of each process: a worker's
    differs from that of its main process.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/101850
    - https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
    """
    mains = {p.pid: p.affinity for p in job.main_processes if p.affinity}
    other = [
        p
        for p in job.workers
        if p.affinity and p.main_pid in mains and p.affinity != mains[p.main_pid]
    ]
    if not other:
        return
    first = min(other, key=lambda p: len(p.affinity))
    whole = len(mains[first.main_pid])
    narrow = len(first.affinity) < whole
    yield Finding(
        severity=Severity.SLOWS if narrow else Severity.NOTE,
        confidence=Confidence.CERTAIN,
        summary=f"{name_process(first, job)} may use {len(first.affinity)} CPUs, its main"
        f" process {whole}: {len(other)} of {len(job.workers)} workers differ",
        evidence={
            "pids": [p.pid for p in other],
            "worker": list(first.affinity),
            "main": list(mains[first.main_pid]),
        },
        remedies=(
            in_code(
                "Give each worker all CPUs of the job",
                "import os\n\n\nCPUS = os.sched_getaffinity(0)\n\n\n"
                "def all_cpus(worker_id):\n    os.sched_setaffinity(0, CPUS)\n\n\n"
                "DataLoader(..., worker_init_fn=all_cpus)",
            ),
        ),
    )
