"""PDR921: does the memory of workers grow, by a leak or by copying their parent's?"""

from collections.abc import Iterator

from pipedoctor.check import (
    Confidence,
    Finding,
    Findings,
    Severity,
    check,
    in_code,
)
from pipedoctor.facts import LiveJob, LiveProcess, Trend
from pipedoctor.units import format_size
from pipedoctor_checks.live._growth import (
    describe_time_left,
    find_fastest,
    find_growth,
    name_process,
    trend_evidence,
)

_MIB = 1 << 20
_MIN_READINGS = 2
"""Walks through the pages of a process, which are rare: they take long."""


@check("PDR921", "The memory of workers grows steadily")
def worker_memory_growing(job: LiveJob, /, *, least: int = 24 * _MIB) -> Findings:
    """
    See whether a worker's own memory grows, and whether it is new or copied memory.

    ## Why it hurts

    When the memory of the machine, or of the control group, is used up, the kernel
    kills a process: `DataLoader worker is killed by signal: Killed`. New memory is a
    leak: a cache, or a list that gets longer. Copied memory is a dataset of Python
    objects that a fork shares with its parent: updating reference counts writes to its
    pages.

    ## How it is judged

    `pipedoctor watch PID` reads it repeatedly: the anonymous memory of a worker grew by
    `least` bytes or more along a straight line (a leak), or only its private pages did
    (copy on write). The time left is that until the available memory is used up, at the
    rate of all workers together.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/13246
    - https://docs.kernel.org/filesystems/proc.html
    """
    leaks = [(p, t) for p in job.workers if (t := find_growth(p.anonymous, least))]
    worst = find_fastest(leaks)
    if worst is not None:
        yield from _report_growth(job, worst, leaks, copied=False)
        return
    copies = [(p, t) for p in job.workers if (t := _find_copied_pages(p, least))]
    worst = find_fastest(copies)
    if worst is not None:
        yield from _report_growth(job, worst, copies, copied=True)


def _find_copied_pages(process: LiveProcess, least: float) -> Trend | None:
    """Private pages that grew, although there is no new memory."""
    trend = process.private
    if trend is None or trend.readings < _MIN_READINGS or trend.per_second <= 0:
        return None
    return trend if trend.last - trend.first >= least else None


def _report_growth(
    job: LiveJob,
    worst: tuple[LiveProcess, Trend],
    growing: list[tuple[LiveProcess, Trend]],
    *,
    copied: bool,
) -> Iterator[Finding]:
    process, trend = worst
    pace = sum(t.per_second for _, t in growing)
    left = None if job.memory_left is None else job.memory_left / pace
    more = format_size(int(trend.per_second * 60))
    how = "copies its parent's pages" if copied else "allocates new memory"
    yield Finding(
        severity=Severity.RISKS,
        confidence=Confidence.LIKELY,
        summary=f"{name_process(process, job)} {how}: {format_size(int(trend.last))},"
        f" growing by {more} per minute{describe_time_left(left)}",
        evidence={
            **trend_evidence(process, trend),
            "copied": copied,
            "memory_left": job.memory_left,
            "seconds_left": left,
        },
        remedies=(
            in_code("Keep samples in arrays or tensors, not in lists of Python objects")
            if copied
            else in_code("Limit what each worker keeps: caches, and lists that get longer"),
        ),
    )
