"""PDR922: does the job take more and more of /dev/shm?"""

from pipedoctor.check import (
    Confidence,
    Finding,
    Findings,
    Severity,
    check,
    in_code,
)
from pipedoctor.facts import LiveJob
from pipedoctor.units import format_size
from pipedoctor_checks.live._growth import describe_time_left, find_growth

_MIB = 1 << 20


@check("PDR922", "Shared memory in use grows steadily")
def shm_growing(job: LiveJob, /, *, least: int = 16 * _MIB) -> Findings:
    """
    See whether the use of /dev/shm grows along a straight line.

    ## Why it hurts

    Batches are transferred through /dev/shm. When it is full, the next batch cannot be
    written, and a worker is killed by a bus error or fails with `No space left on
    device`. It grows if batches are kept, or if processes are killed before they unlink
    theirs.

    ## How it is judged

    `pipedoctor watch PID` reads it repeatedly: it grew by `least` bytes or more, along a
    straight line. The time left is that until it is full, at the same rate.

    ## Sources

    - https://docs.pytorch.org/docs/stable/multiprocessing.html#sharing-strategies
    - https://man7.org/linux/man-pages/man5/tmpfs.5.html
    """
    trend = find_growth(job.shm, least)
    if trend is None:
        return
    own = find_growth(job.shm_own, least / 2)
    whose = "this job" if own is not None else "this job or another"
    size = f" of {format_size(int(trend.limit))}" if trend.limit else ""
    yield Finding(
        severity=Severity.RISKS,
        confidence=Confidence.LIKELY if own is not None else Confidence.POSSIBLE,
        summary=f"{format_size(int(trend.last))}{size} of /dev/shm are in use,"
        f" growing by {format_size(int(trend.per_second * 60))} per minute through {whose}"
        f"{describe_time_left(trend.seconds_left)}",
        evidence={
            "first": trend.first,
            "last": trend.last,
            "per_second": round(trend.per_second, 3),
            "limit": trend.limit,
            "seconds_left": trend.seconds_left,
        },
        remedies=(
            in_code(
                "Keep copies of what a batch holds, not the batch itself",
                "kept.append(batch[0].clone())",
            ),
        ),
    )
