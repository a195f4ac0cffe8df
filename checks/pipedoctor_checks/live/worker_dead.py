"""PDR925: has a worker ended while the job waits for it?"""

from pipedoctor.check import (
    Confidence,
    Finding,
    Findings,
    Lasts,
    Remedy,
    Severity,
    check,
    in_code,
)
from pipedoctor.facts import LiveJob, LiveProcess
from pipedoctor.units import name_signal
from pipedoctor_checks.live._growth import name_process

_SET_A_TIMEOUT = in_code(
    "Set a timeout, so that the loader fails with an error that names the worker",
    "DataLoader(..., timeout=120)",
)
_READ_KERNEL_LOG = Remedy(
    title="Check whether the kernel killed it because memory ran out",
    argv=("dmesg", "--ctime"),
    lasts=Lasts.PROCESS,
    root=True,
    advice=True,
)
_DUMP_STACK = in_code(
    "Print the Python stack of a worker that crashes",
    "import faulthandler; faulthandler.enable()  # in worker_init_fn",
)


@check("PDR925", "A worker has exited or was killed")
def worker_dead(job: LiveJob, /) -> Findings:
    """
    See whether a worker exited by itself, was killed, or is a zombie that was not waited for.

    ## Why it hurts

    The loader learns by a signal that a worker has exited. If a handler of the user
    replaced its own, or the main process is busy, it waits for a batch that will never
    arrive.

    ## How it is judged

    `pipedoctor watch PID` saw a worker exit while the main process and its other workers
    continued, and no new worker replaced it. A worker that a signal ended which no loader
    sends (SIGKILL, SIGSEGV ...) is reported even if the job ends too, unless the main process
    was ended by the same signal. After the process was waited for, only Linux 6.15 and newer
    still know its signal.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    - https://man7.org/linux/man-pages/man2/wait.2.html
    """
    dead = [p for p in job.workers if p.ended or p.state in {"Z", "X"}]
    if not dead:
        return
    first = max(dead, key=lambda process: (process.exit_status is not None, process.working))
    others = f" and {len(dead) - 1} more" if len(dead) > 1 else ""
    doing = " while it produced a batch" if first.working else ""
    evidence: dict[str, object] = {"pids": [p.pid for p in dead], "state": first.state}
    if first.exit_status is not None:
        yield _report_crash(first, job, doing + others, evidence)
        return
    how = "is a zombie: it has exited" if first.state == "Z" else "has exited"
    yield Finding(
        severity=Severity.BREAKS,
        confidence=Confidence.LIKELY,
        summary=f"{name_process(first, job)} {how}{doing}{others}; the job continues without"
        f" {'them' if others else 'it'}",
        evidence=evidence,
        remedies=(_SET_A_TIMEOUT,),
    )


def _report_crash(
    process: LiveProcess, job: LiveJob, doing: str, evidence: dict[str, object]
) -> Finding:
    name = name_signal(-(process.exit_status or 0))
    killed = name == "SIGKILL"
    return Finding(
        severity=Severity.BREAKS,
        summary=f"{name_process(process, job)} was {'killed' if killed else 'ended'} by"
        f" {name}{doing}",
        evidence=evidence | {"signal": name},
        remedies=(_READ_KERNEL_LOG if killed else _DUMP_STACK,),
    )
