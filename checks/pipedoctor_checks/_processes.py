"""The limits that count processes and threads, and the ways to more room."""

from __future__ import annotations

import msgspec

from pipedoctor.facts import Habitat, Limits, Loader, Site, Threads
from pipedoctor.remedy import (
    Lasts,
    Place,
    Remedy,
    docker_run,
    environment,
    fitting,
    unit_property,
)
from pipedoctor_checks._sysctl import sysctl

_PER_WORKER = 4
_KERNEL = ("kernel.threads-max", "kernel.pid_max")


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
    def of(cls, loader: Loader | None, threads: Threads | None) -> Need:
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
                ("threads_max", _KERNEL[0], limits.threads_max),
                ("pid_max", _KERNEL[1], limits.pid_max),
            )
        ),
    ]
    return [
        Bound(name=name, words=f"threads {whose}", most=most, used=used, where=where)
        for name, whose, most, used, where in said
        if most is not None and used is not None
    ]


def relief(
    bound: Bound, need: Need, limits: Limits, site: Site | None
) -> tuple[Remedy, ...]:
    """Raise the limit that is tight; or start fewer threads, which always helps."""
    more = max(4096, 2 * (bound.used + need.most))
    fewer = environment(
        "Let numeric libraries start one thread in each process",
        OMP_NUM_THREADS=1,
        OPENBLAS_NUM_THREADS=1,
        MKL_NUM_THREADS=1,
    )
    ways: tuple[Remedy, ...] = ()
    if bound.name == "limits.nproc.soft":
        ways = _for_the_user(limits, more)
    elif bound.name == "limits.pids_max":
        ways = _for_the_group(limits.pids_source, more)
    habitat = site.habitat if site else None
    fit = fitting(habitat, *ways)
    for name in _KERNEL:
        if bound.words.endswith(f"({name})"):
            fit = sysctl(name, bound.most, max(more, 2 * bound.most), site)
    return (*fit, *fitting(habitat, *fewer))


def _for_the_user(limits: Limits, more: int) -> tuple[Remedy, ...]:
    """Up to the hard limit anybody may; beyond, root for logins to come."""
    nproc = limits.nproc
    soft, hard = (nproc.soft, nproc.hard) if nproc else (None, None)
    within = more if hard is None else min(more, hard)
    most = "unlimited" if hard is None else str(hard)
    ways: list[Remedy] = []
    if soft is not None and within > soft:
        if limits.pid is not None:
            prlimit = ("prlimit", "--pid", str(limits.pid))
            running = Remedy(
                title="Raise the limit of the running process",
                argv=(*prlimit, f"--nproc={within}:{most}"),
                undo=(*prlimit, f"--nproc={soft}:{most}"),
                verify=(*prlimit, "--nproc"),
                lasts=Lasts.PROCESS,
            )
            ways.append(running)
        shell = Remedy(
            title="Raise it in the shell that starts the job",
            argv=("ulimit", "-u", str(within)),
            lasts=Lasts.PROCESS,
            place=Place.LAUNCHER,
        )
        ways.append(shell)
    for_good = Remedy(
        title="For good, for new logins (not for services or containers)",
        snippet=(
            "# /etc/security/limits.d/90-nproc.conf\n"
            f"* soft nproc {more}\n* hard nproc {more}"
        ),
        lasts=Lasts.ALWAYS,
        root=True,
        fits=(Habitat.BARE,),
        advice=True,
    )
    return (*ways, for_good)


def _for_the_group(source: str, more: int) -> tuple[Remedy, ...]:
    return (
        *unit_property("Let the unit hold more tasks", source, f"TasksMax={more}"),
        docker_run("Start the container with a higher limit", f"--pids-limit={more}"),
        _administrators(
            Habitat.KUBERNETES, f"podPidsLimit: {more}  # the kubelet's configuration"
        ),
        _administrators(Habitat.SLURM, f"TasksMax={more}  # slurmd.service"),
    )


def _administrators(place: Habitat, snippet: str) -> Remedy:
    return Remedy(
        title="Ask the cluster's administrators: the node sets this limit",
        snippet=snippet,
        lasts=Lasts.ALWAYS,
        place=Place.LAUNCHER,
        fits=(place,),
        advice=True,
    )
