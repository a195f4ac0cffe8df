"""PDR704: may the workers and their threads be started at all?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Limits, Loader, Site, Threads
from pipedoctor_checks.limits._process_bounds import (
    ProcessBound,
    ThreadNeed,
    list_bounds,
)
from pipedoctor_checks.limits._process_remedies import relieve_limit


@check("PDR704", "The limit on processes and threads is reached", fix="machine")
def process_limit_reached(
    limits: Limits,
    loader: Loader | None,
    threads: Threads | None,
    site: Site | None,
    /,
    *,
    full: float = 0.9,
) -> Findings:
    """
    Compare every limit on processes with those running and those the job starts.

    ## Why it hurts

    Each of these limits counts threads, not only processes. At the limit a job dies in
    the middle: `can't start new thread`, `Resource temporarily unavailable`,
    `pthread_create failed`, or a worker that exits unexpectedly. One DataLoader worker
    is four threads, and a numerical library may add a pool to each.

    ## How it is judged

    Four limits: RLIMIT_NPROC against the threads of the user (root and holders of
    CAP_SYS_RESOURCE bypass it), pids.max of the control group with the least room
    against its pids.current, kernel.threads-max and kernel.pid_max against all threads.
    Bisected on torch 2.13: a job needs one thread for each rank and four for each
    worker. With less room it breaks. Less room than that plus the threads that
    OMP_NUM_THREADS and similar variables allow in each worker is a risk, and so is a
    limit of which the fraction `full` is used. Unknown job: no room for one worker is a
    risk. Only the tightest limit is reported. Fewer threads in each worker are advised
    only if the workers themselves fit, and as many workers as do otherwise.

    ## Sources

    - https://man7.org/linux/man-pages/man2/getrlimit.2.html
    - https://docs.kernel.org/admin-guide/cgroup-v2.html
    - https://man7.org/linux/man-pages/man5/proc_sys_kernel.5.html
    - https://kubernetes.io/docs/concepts/policy/pid-limiting/
    - https://docs.podman.io/en/v4.4/markdown/options/pids-limit.html
    """
    known = list_bounds(limits)
    if not known:
        message = "limits: no limit on processes could be read with its use"
        raise CannotJudge(message)
    need = ThreadNeed.estimate(loader, threads)
    tightest = min(known, key=lambda bound: bound.available_threads)
    judgement = _judge_bound(tightest, need, full)
    if judgement:
        severity, wants = judgement
        yield Finding(
            severity=severity,
            summary=f"{tightest.used} of {tightest.most} {tightest.words}{wants}",
            evidence={
                tightest.name: tightest.most,
                "in_use": tightest.used,
                "needed": need.least,
                "needed.with_pools": need.most,
                **tightest.where,
            },
            remedies=relieve_limit(tightest, need, limits, site, full=full),
        )


def _judge_bound(limit: ProcessBound, need: ThreadNeed, full: float) -> tuple[Severity, str] | None:
    if limit.available_threads < need.least:
        return Severity.BREAKS, f", but {need.subject} {need.least} more"
    if limit.available_threads <= 0:
        return Severity.BREAKS, ""
    if limit.available_threads < need.most:
        return Severity.RISKS, f", but {need.subject} up to {need.most} more"
    if limit.used >= limit.most * full:
        return Severity.RISKS, ""
    return None
