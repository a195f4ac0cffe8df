"""PDR920: does a process of the job open more and more descriptors?"""

from pipedoctor.check import (
    Confidence,
    Finding,
    Findings,
    Severity,
    check,
    in_code,
)
from pipedoctor.facts import LiveJob
from pipedoctor_checks.live._growth import (
    describe_time_left,
    find_fastest,
    find_growth,
    name_process,
    trend_evidence,
)


@check("PDR920", "Open descriptors grow steadily")
def descriptors_growing(job: LiveJob, /, *, least: int = 16) -> Findings:
    """
    See whether the number of open descriptors grows along a straight line.

    ## Why it hurts

    At the limit of the process the next file, pipe or batch cannot be opened, and the
    job fails with `Too many open files`, hours after it started. Every tensor of a batch
    that is kept holds a descriptor of shared memory.

    ## How it is judged

    `pipedoctor watch PID` counts them repeatedly: they grew by `least` or more, along a
    straight line. The time left is that until the soft limit of the process, at the
    same rate.

    ## Sources

    - https://docs.pytorch.org/docs/stable/multiprocessing.html#file-descriptor-file-descriptor
    - https://man7.org/linux/man-pages/man2/getrlimit.2.html
    """
    found = [(p, t) for p in job.processes if (t := find_growth(p.descriptors, least))]
    worst = find_fastest(found)
    if worst is None:
        return
    process, trend = worst
    limit = f" of {trend.limit:.0f}" if trend.limit else ""
    left = describe_time_left(trend.seconds_left)
    yield Finding(
        severity=Severity.RISKS,
        confidence=Confidence.LIKELY,
        summary=f"{name_process(process, job)} has {trend.last:.0f} descriptors open{limit},"
        f" growing by {trend.per_second * 60:.0f} per minute{left}",
        evidence=trend_evidence(process, trend),
        remedies=(
            in_code("Close files where they are opened: with open(path) as file"),
            in_code(
                "Keep copies of what a batch holds, not the batch itself",
                "losses.append(loss.item())\nkept.append(batch[0].clone())",
            ),
        ),
    )
