"""Remedies that allow more processes and threads, limit by limit."""

from pipedoctor.check import (
    Lasts,
    Place,
    Remedy,
    docker_run,
    environment,
    in_code,
    select_remedies,
    unit_property,
)
from pipedoctor.facts import Launcher, Limits, Site
from pipedoctor_checks._shared.advice import advise_launch, advise_user
from pipedoctor_checks._shared.sysctl import set_sysctl
from pipedoctor_checks.limits._limit_of_shell import raise_as_root
from pipedoctor_checks.limits._process_bounds import KERNEL_LIMITS, ProcessBound, ThreadNeed


def relieve_limit(
    limit: ProcessBound, need: ThreadNeed, limits: Limits, site: Site | None, *, full: float
) -> tuple[Remedy, ...]:
    """Raise the limit that is reached, or start as many threads as it leaves room for."""
    more = max(4096, 2 * (limit.used + need.most))
    fewer = environment(
        "Limit numerical libraries to one thread in each process",
        OMP_NUM_THREADS=1,
        OPENBLAS_NUM_THREADS=1,
        MKL_NUM_THREADS=1,
    )
    ways: tuple[Remedy, ...] = ()
    rooted: tuple[Remedy, ...] = ()
    if limit.name == "limits.nproc.soft":
        ways, rooted = _raise_user_limit(limits, site, more)
    elif limit.name == "limits.pids_max":
        ways = _raise_group_limit(limits.pids_source, more)
    launcher = site.launcher if site else None
    if launcher in {Launcher.KUBERNETES, Launcher.SLURM} and not rooted:
        ways, rooted = (), ways
    fit = select_remedies(launcher, *ways)
    for name in KERNEL_LIMITS:
        if limit.words.endswith(f"({name})"):
            fit = set_sysctl(name, limit.most, max(more, 2 * limit.most), site)
    pools = need.most > need.least and limit.available_threads >= need.least
    smaller = _start_fewer_workers(limit, need) if limit.used < limit.most * full else ()
    larger = (
        *fit,
        *(select_remedies(launcher, *fewer) if pools else ()),
        *select_remedies(launcher, *rooted),
    )
    return (*smaller, *larger) if _is_out_of_reach(limit, limits, site) else (*larger, *smaller)


def _is_out_of_reach(limit: ProcessBound, limits: Limits, site: Site | None) -> bool:
    """Is it a hard limit of a user, which only root raises?"""
    hard = limits.nproc.hard if limits.nproc else None
    user = limit.name == "limits.nproc.soft" and site is not None and not site.root
    return user and hard is not None and hard <= limit.most


def _start_fewer_workers(limit: ProcessBound, need: ThreadNeed) -> tuple[Remedy, ...]:
    """The most workers of each loader whose threads the limit still allows."""
    count = need.count_fitting_workers(limit.available_threads)
    if count is None:
        return ()
    title = f"Start fewer workers: the limit leaves room for {count} in each loader"
    if not count:
        title = "Load in the main process: the limit leaves no room for a worker"
    return (in_code(title, f"DataLoader(..., num_workers={count})"),)


def _raise_user_limit(
    limits: Limits, site: Site | None, more: int
) -> tuple[tuple[Remedy, ...], tuple[Remedy, ...]]:
    """What any user may do, up to the hard limit; above it, what needs root."""
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
            title="Raise the limit in the shell that starts the job",
            argv=("ulimit", "-u", str(within)),
            lasts=Lasts.PROCESS,
            place=Place.LAUNCHER,
        )
        ways.append(shell)
    for_good = advise_user(
        "Raise the limit permanently for new logins (not for services or containers)",
        snippet=(
            f"# /etc/security/limits.d/90-nproc.conf\n* soft nproc {more}\n"
            f"* hard nproc {max(more, hard or 0)}"
        ),
        fits=(Launcher.BARE,),
        root=True,
    )
    if ways:
        return (*ways, for_good), ()
    powerless = site is not None and site.root and not site.sys_resource
    at_once = () if limits.pid or powerless else (raise_as_root("nproc", more),)
    return (), (*at_once, for_good, _raise_in_container(f"--ulimit=nproc={more}:{more}"))


def _raise_group_limit(source: str, more: int) -> tuple[Remedy, ...]:
    return (
        *unit_property("Raise TasksMax of the unit", source, f"TasksMax={more}"),
        _raise_in_container(f"--pids-limit={more}"),
        _ask_administrators(
            Launcher.KUBERNETES, f"podPidsLimit: {more}  # the kubelet's configuration"
        ),
        _ask_administrators(Launcher.SLURM, f"TasksMax={more}  # slurmd.service"),
    )


def _raise_in_container(flag: str) -> Remedy:
    return docker_run("Start the container with a higher limit", flag)


def _ask_administrators(place: Launcher, snippet: str) -> Remedy:
    return advise_launch(
        "Ask the cluster administrators: the node sets this limit", snippet=snippet, fits=(place,)
    )
