"""PDR924: does a worker stand at the same place of the same batch?"""

from pipedoctor.check import (
    Confidence,
    Finding,
    Findings,
    Location,
    Severity,
    check,
    in_code,
)
from pipedoctor.facts import KernelWait, LiveJob
from pipedoctor_checks.live._growth import name_process


@check("PDR924", "A worker is stuck")
def worker_stuck(job: LiveJob, /, *, seconds: float = 20.0) -> Findings:
    """
    See whether a worker has been at one line, in one batch, for a long time.

    ## Why it hurts

    Batches are delivered in order: when one worker hangs, the whole job hangs, often
    without any error. Causes are a lock that was held while the process was forked, a
    file on a mount that is gone, or an infinite loop.

    ## How it is judged

    `pipedoctor watch PID` saw the same line of the same batch for `seconds` or longer.
    A worker that uses the CPU meanwhile is spinning; one that waits is in a system call,
    which is named with its file.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    - https://github.com/pytorch/pytorch/issues/1355
    """
    stuck = [p for p in job.workers if p.working and p.unchanged_seconds >= seconds]
    for process in sorted(stuck, key=lambda p: -p.unchanged_seconds)[:1]:
        hot = process.hot
        at = f" at {hot.path}:{hot.line}" if hot else ""
        doing = "is spinning" if process.runs else f"is stuck{_describe_call(process.kernel)}"
        others = len(stuck) - 1
        many = f", as {'1 other is' if others == 1 else f'{others} others are'}" if others else ""
        yield Finding(
            severity=Severity.BREAKS,
            confidence=Confidence.LIKELY,
            summary=f"{name_process(process, job)} {doing}{at},"
            f" for {process.unchanged_seconds:.0f} s{many}",
            evidence={
                "pids": [p.pid for p in stuck],
                "seconds": round(process.unchanged_seconds, 1),
                "spinning": process.runs,
            },
            location=Location(path=hot.path, line=hot.line) if hot else None,
            remedies=(
                in_code(
                    "Set a timeout, so that the loader fails with an error that names the worker",
                    "DataLoader(..., timeout=120)",
                ),
            ),
        )


def _describe_call(wait: KernelWait | None) -> str:
    if wait is None:
        return ""
    of_file = f" of {wait.path}" if wait.path else ""
    mount = f" ({wait.fstype} on {wait.device})" if wait.fstype else ""
    return f" in {wait.call}{of_file}{mount}"
