"""Where a change of the machine counts: for everything, or for one process only."""

import os
import resource
from collections.abc import Generator
from contextlib import contextmanager

from pipedoctor.fix.plan.plan import CommandStep, FixPlan, FixRefusedError

_COPIED_LIMITS = (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC)


def refuse_unmeasurable(plan: FixPlan) -> None:
    """Refuse what no loader that is started from here would notice."""
    if plan.irreversible:
        message = f"--measure cannot compare: {plan.irreversible}"
        raise FixRefusedError(message)
    if not list_reversible_commands(plan):
        message = (
            f"--measure cannot see it: {plan.subject} applies to logins, services and"
            " jobs that start later, not to processes started from here"
        )
        raise FixRefusedError(message, "pipedoctor check --measure TARGET   # from such a login")


def list_reversible_commands(plan: FixPlan) -> tuple[CommandStep, ...]:
    """What changes at once, and can be turned back at once."""
    return tuple(s for s in plan.steps if isinstance(s, CommandStep) and s.undo)


def find_target_process(plan: FixPlan) -> int | None:
    """The only process for which it counts; None: it counts for all."""
    found = (_parse_pid(step.argv) for step in list_reversible_commands(plan))
    return next((pid for pid in found if pid is not None), None)


def _parse_pid(argv: tuple[str, ...]) -> int | None:
    if argv[:2] == ("prlimit", "--pid"):
        return int(argv[2])
    if argv[:2] == ("taskset", "-apc"):
        return int(argv[-1])
    return None


@contextmanager
def adopt_limits(pid: int | None) -> Generator[None, None, None]:
    """
    Run under the limits of this process; a loader started meanwhile keeps them.

    CPUs, open files, processes. Raises Refused where its limits are above what we
    may have, or it is gone; None is nobody, and changes nothing.
    """
    if pid is None:
        yield
        return
    cpus = os.sched_getaffinity(0)
    limits = {what: resource.getrlimit(what) for what in _COPIED_LIMITS}
    try:
        _copy_limits(pid)
        yield
    finally:
        os.sched_setaffinity(0, cpus)
        for what, pair in limits.items():
            resource.setrlimit(what, pair)


def _copy_limits(pid: int) -> None:
    try:
        for what in _COPIED_LIMITS:
            resource.setrlimit(what, _fit_limits(resource.prlimit(pid, what), what))
        os.sched_setaffinity(0, os.sched_getaffinity(pid))
    except (OSError, ValueError) as error:
        message = f"--measure cannot start a loader with the limits of process {pid}: {error}"
        raise FixRefusedError(message) from error


def _fit_limits(theirs: tuple[int, int], what: int) -> tuple[int, int]:
    """Their soft limit, and a hard one from which we find back where we can."""
    soft, hard = theirs
    ours = resource.getrlimit(what)[1]
    endless = resource.RLIM_INFINITY
    enough = ours == endless or (soft != endless and soft <= ours)
    return soft, ours if enough else hard
