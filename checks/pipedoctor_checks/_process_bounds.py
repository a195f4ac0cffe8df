"""The limits that count processes and threads, and what a job starts of them."""

import msgspec

from pipedoctor.facts import Limits, Loader, Threads

_PER_WORKER = 4
KERNEL = ("kernel.threads-max", "kernel.pid_max")


class Bound(msgspec.Struct, frozen=True, kw_only=True):
    """One limit, how much of it is used, and what it is called."""

    name: str
    words: str
    most: int
    used: int
    where: dict[str, str] = {}

    @property
    def room(self) -> int:
        """Threads that may still be started."""
        return self.most - self.used


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """Threads that the job will start: at least, and with pools in each worker."""

    workers: int = 0
    least: int = 0
    most: int = 0

    @classmethod
    def of(cls, loader: Loader | None, threads: Threads | None) -> "Need":
        """
        Reckon it; the workers of a running job are counted already.

        No job is known: one worker, of which nothing is certain.
        """
        workers = loader.workers_on_node if loader else None
        if not loader or workers is None:
            return cls(workers=1, most=_PER_WORKER + 1)
        if not workers:
            return cls()
        if loader.origin.get("num_workers", "").startswith("pid "):
            return cls()
        least = _PER_WORKER * workers + (loader.ranks or 1)
        pool = max(threads.asked.values(), default=1) if threads else 1
        return cls(workers=workers, least=least, most=least + workers * (pool - 1))

    @property
    def job(self) -> str:
        """Say whose need it is."""
        return "1 worker needs" if self.workers == 1 else f"{self.workers} workers need"


def bounds(limits: Limits) -> list[Bound]:
    """Every limit of which both the size and the use are known."""
    soft = limits.nproc.soft if limits.nproc else None
    mine = None if limits.exempt_from_nproc else limits.user_threads
    group = {"limits.pids_source": limits.pids_source}
    said: list[tuple[str, str, int | None, int | None, dict[str, str]]] = [
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
                ("threads_max", KERNEL[0], limits.threads_max),
                ("pid_max", KERNEL[1], limits.pid_max),
            )
        ),
    ]
    return [
        Bound(name=name, words=f"threads {whose}", most=most, used=used, where=where)
        for name, whose, most, used, where in said
        if most is not None and used is not None
    ]
