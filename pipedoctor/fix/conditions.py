"""Where a change of the machine counts: for everything, or for one process only."""

import os
import resource
from collections.abc import Generator
from contextlib import contextmanager

from pipedoctor.fix.plan import Plan, Refused, Run

_LIMITS = (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC)


def refuse_unmeasurable(plan: Plan) -> None:
    """Refuse what no loader that is started from here would notice."""
    if plan.irreversible:
        message = f"--measure cannot compare: {plan.irreversible}"
        raise Refused(message)
    if not commands(plan):
        message = (
            f"--measure cannot see it: {plan.subject} counts for logins, services and"
            " jobs that start later, not for what starts here"
        )
        raise Refused(
            message, "pipedoctor check --measure TARGET   # from such a login"
        )


def commands(plan: Plan) -> tuple[Run, ...]:
    """What changes at once, and can be turned back at once."""
    return tuple(s for s in plan.steps if isinstance(s, Run) and s.undo)


def process(plan: Plan) -> int | None:
    """The only process for which it counts; None: it counts for all."""
    found = (_process(step.argv) for step in commands(plan))
    return next((pid for pid in found if pid is not None), None)


def _process(argv: tuple[str, ...]) -> int | None:
    if argv[:2] == ("prlimit", "--pid"):
        return int(argv[2])
    if argv[:2] == ("taskset", "-apc"):
        return int(argv[-1])
    return None


@contextmanager
def like(pid: int | None) -> Generator[None, None, None]:
    """
    Be limited as this process is; what is started meanwhile stays so.

    CPUs, open files, processes. Raises Refused where its limits are above what we
    may have, or it is gone; None is nobody, and changes nothing.
    """
    if pid is None:
        yield
        return
    cpus = os.sched_getaffinity(0)
    limits = {what: resource.getrlimit(what) for what in _LIMITS}
    try:
        _become(pid)
        yield
    finally:
        os.sched_setaffinity(0, cpus)
        for what, pair in limits.items():
            resource.setrlimit(what, pair)


def _become(pid: int) -> None:
    try:
        for what in _LIMITS:
            resource.setrlimit(what, _within(resource.prlimit(pid, what), what))
        os.sched_setaffinity(0, os.sched_getaffinity(pid))
    except (OSError, ValueError) as error:
        message = (
            f"--measure cannot start a loader that is limited as process {pid}: {error}"
        )
        raise Refused(message) from error


def _within(theirs: tuple[int, int], what: int) -> tuple[int, int]:
    """Their soft limit, and a hard one from which we find back where we can."""
    soft, hard = theirs
    ours = resource.getrlimit(what)[1]
    endless = resource.RLIM_INFINITY
    enough = ours == endless or (soft != endless and soft <= ours)
    return soft, ours if enough else hard
