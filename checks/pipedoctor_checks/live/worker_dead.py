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


@check("PDR925", "A worker has ended while the job goes on")
def worker_dead(job: LiveJob, /) -> Findings:
    """
    See whether a worker ended by itself, or is a zombie that nobody waits for.

    ## Why it hurts

    The loader notices the end of a worker by a signal. Where a handler of the user
    replaced its own, or the main process is busy, it waits for a batch that nobody
    makes.

    ## How it is judged

    `pipedoctor watch PID` saw a worker end while the main process and its other workers
    went on, and no new ones took their place.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    - https://man7.org/linux/man-pages/man2/wait.2.html
    """
    dead = [p for p in job.workers if p.ended or p.state in {"Z", "X"}]
    if not dead:
        return
    first = dead[0]
    how = "is a zombie: it has ended" if first.state == "Z" else "has ended"
    doing = " while it made a batch" if first.working else ""
    yield Finding(
        severity=Severity.BREAKS,
        confidence=Confidence.LIKELY,
        summary=f"{name_process(first, job)} {how}{doing}, and the job goes on without it",
        evidence={"pids": [p.pid for p in dead], "state": first.state},
        remedies=(
            in_code(
                "Let the loader give up, with an error that names the worker",
                "DataLoader(..., timeout=120)",
            ),
        ),
    )
