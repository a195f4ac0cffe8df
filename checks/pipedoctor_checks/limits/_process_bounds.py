"""Limits that count processes and threads, and what a job starts."""

import msgspec

from pipedoctor.facts import Limits, Loader, Threads
from pipedoctor_checks.limits._job_need import JobNeed

_THREADS_PER_WORKER = 4
KERNEL_LIMITS = ("kernel.threads-max", "kernel.pid_max")


class ProcessBound(msgspec.Struct, frozen=True, kw_only=True):
    """One limit, how much of it is used, and what it is called."""

    name: str
    words: str
    most: int
    used: int
    where: dict[str, str] = {}

    @property
    def available_threads(self) -> int:
        """Threads that may still be started."""
        return self.most - self.used


class ThreadNeed(JobNeed, frozen=True, kw_only=True):
    """Threads that the job will start: at least, and with pools in each worker."""

    most: int = 0
    loaders: int = 0
    """Loaders of all ranks that are alive at the same time; 0: they are not known."""
    ranks: int = 1
    pool: int = 1
    """Threads of a numerical library in each worker."""

    @classmethod
    def estimate(cls, loader: Loader | None, threads: Threads | None) -> "ThreadNeed":
        """
        Estimate it; the workers of a running job are already counted.

        Unknown job: one worker, of which nothing is certain.
        """
        workers = loader.workers_on_node if loader else None
        pool = max(threads.asked.values(), default=1) if threads else 1
        if not loader or workers is None:
            return cls(workers=1, most=_THREADS_PER_WORKER + pool)
        if not workers:
            return cls(workers=0)
        if loader.origin.get("num_workers", "").startswith("pid "):
            return cls(workers=0)
        least = _THREADS_PER_WORKER * workers + (loader.ranks or 1)
        return cls(
            workers=workers,
            least=least,
            most=least + workers * (pool - 1),
            loaders=(loader.ranks or 1) * loader.loaders,
            ranks=loader.ranks or 1,
            pool=pool,
        )

    def count_fitting_workers(self, room: int) -> int | None:
        """Count the workers of each loader for which there is room; None: unknown job."""
        if not self.loaders:
            return None
        each = _THREADS_PER_WORKER + self.pool - 1
        return max(0, (room - self.ranks) // (each * self.loaders))


def list_bounds(limits: Limits) -> list[ProcessBound]:
    """Every limit whose size and use are both known."""
    soft = limits.nproc.soft if limits.nproc else None
    mine = None if limits.exempt_from_nproc else limits.user_threads
    group = {"limits.pids_source": limits.pids_source}
    candidates: list[tuple[str, str, int | None, int | None, dict[str, str]]] = [
        ("limits.nproc.soft", "of this user (RLIMIT_NPROC)", soft, mine, {}),
        (
            "limits.pids_max",
            "of the control group (pids.max)",
            limits.pids_max,
            limits.pids_current,
            group,
        ),
        *(
            (
                f"limits.{fact}",
                f"of the system ({name})",
                most,
                limits.system_threads,
                {},
            )
            for fact, name, most in (
                ("threads_max", KERNEL_LIMITS[0], limits.threads_max),
                ("pid_max", KERNEL_LIMITS[1], limits.pid_max),
            )
        ),
    ]
    return [
        ProcessBound(name=name, words=f"threads {whose}", most=most, used=used, where=where)
        for name, whose, most, used, where in candidates
        if most is not None and used is not None
    ]
