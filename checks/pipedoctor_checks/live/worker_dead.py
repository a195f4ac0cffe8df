"""PDR925: has a worker ended while the job waits for it?"""

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


@check("PDR925", "A worker has exited while the job continues")
def worker_dead(job: LiveJob, /) -> Findings:
    """
    See whether a worker exited by itself, or is a zombie that has not been waited for.

    ## Why it hurts

    The loader learns by a signal that a worker has exited. If a handler of the user
    replaced its own, or the main process is busy, it waits for a batch that will never
    arrive.

    ## How it is judged

    `pipedoctor watch PID` saw a worker exit while the main process and its other workers
    continued, and no new worker replaced it.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    - https://man7.org/linux/man-pages/man2/wait.2.html
    """
    dead = [p for p in job.workers if p.ended or p.state in {"Z", "X"}]
    if not dead:
        return
    first = max(dead, key=lambda process: process.working)
    others = f" and {len(dead) - 1} more" if len(dead) > 1 else ""
    how = "is a zombie: it has exited" if first.state == "Z" else "has exited"
    doing = " while it produced a batch" if first.working else ""
    yield Finding(
        severity=Severity.BREAKS,
        confidence=Confidence.LIKELY,
        summary=f"{name_process(first, job)} {how}{doing}{others}; the job continues without"
        f" {'them' if others else 'it'}",
        evidence={"pids": [p.pid for p in dead], "state": first.state},
        remedies=(
            in_code(
                "Set a timeout, so that the loader fails with an error that names the worker",
                "DataLoader(..., timeout=120)",
            ),
        ),
    )
