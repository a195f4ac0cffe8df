"""PDR923: does a process of the job start more and more threads?"""

from pipedoctor.check import (
    Confidence,
    Finding,
    Findings,
    Severity,
    check,
    in_code,
)
from pipedoctor.facts import LiveJob
from pipedoctor_checks.live._growth import find_fastest, find_growth, name_process, trend_evidence


@check("PDR923", "The number of threads grows steadily")
def threads_growing(job: LiveJob, /, *, least: int = 6) -> Findings:
    """
    See whether the number of threads grows along a straight line.

    ## Why it hurts

    Each thread takes memory for its stack and counts toward the process limit; at the
    limit nothing can be started, and thousands of threads compete for a few CPUs. The
    usual cause is a pool that is created for every item and never shut down.

    ## How it is judged

    `pipedoctor watch PID` counts them repeatedly: they grew by `least` or more, along a
    straight line.

    ## Sources

    - https://docs.python.org/3/library/concurrent.futures.html
    - https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
    """
    found = [(p, t) for p in job.processes if (t := find_growth(p.threads, least))]
    worst = find_fastest(found)
    if worst is None:
        return
    process, trend = worst
    yield Finding(
        severity=Severity.RISKS,
        confidence=Confidence.LIKELY,
        summary=f"{name_process(process, job)} has {trend.last:.0f} threads,"
        f" growing by {trend.per_second * 60:.0f} per minute",
        evidence=trend_evidence(process, trend),
        remedies=(
            in_code("Create pools once, outside __getitem__, or close them with a with statement"),
        ),
    )
