"""The ways to more processes and threads, limit by limit."""

from pipedoctor.facts import Habitat, Limits, Site
from pipedoctor.remedy import (
    Lasts,
    Place,
    Remedy,
    docker_run,
    environment,
    fitting,
    unit_property,
)
from pipedoctor_checks._process_bounds import KERNEL, Bound, Need
from pipedoctor_checks._sysctl import sysctl


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
    for name in KERNEL:
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
