"""How a job gets the descriptors that it needs, by place."""

from pipedoctor.facts import Habitat, Limits, Site
from pipedoctor.remedy import Lasts, Place, Remedy, fitting, in_code
from pipedoctor_checks._descriptor_need import Need
from pipedoctor_checks._descriptors_at_launch import launched
from pipedoctor_checks._sysctl import sysctl

ENOUGH = 65536
HARD = 524288
"""systemd's default for the hard limit."""


def raised(limits: Limits, site: Site | None, need: Need) -> tuple[Remedy, ...]:
    """Raise the limit for the running job, in the program, and where it starts."""
    count = min(max(ENOUGH, 2 * need.plain), limits.nr_open or ENOUGH)
    soft, hard = limits.nofile.soft or 0, limits.nofile.hard
    within = count if hard is None else min(count, hard)
    suffices = within > max(soft, need.plain, 2 * (limits.open_files or 0))
    powerless = site is not None and site.root and not site.sys_resource
    remedies: list[Remedy] = []
    if limits.pid is not None and (suffices or not powerless):
        remedies.append(_running(limits, within if suffices else count))
    if within > soft:
        remedies += _from_inside(within, hard)
    if limits.pid is None and not suffices and not powerless:
        remedies.append(_from_above(count))
    highest = min(max(count, hard or 0, HARD), limits.nr_open or HARD)
    remedies += launched(count, highest, possible=within == count)
    return fitting(site.habitat if site else None, *remedies)


def _running(limits: Limits, count: int) -> Remedy:
    """Beyond the hard limit it takes CAP_SYS_RESOURCE, which not every root has."""
    soft, hard = limits.nofile.soft, limits.nofile.hard
    most = None if hard is None else max(count, hard)
    prlimit = ("prlimit", "--pid", str(limits.pid))
    return Remedy(
        title="Raise the limit of the running process",
        argv=(*prlimit, f"--nofile={count}:{_word(most)}"),
        undo=(*prlimit, f"--nofile={_word(soft)}:{_word(hard)}"),
        verify=(*prlimit, "--nofile"),
        lasts=Lasts.PROCESS,
        root=most != hard,
    )


def _word(limit: int | None) -> str:
    return "unlimited" if limit is None else str(limit)


def _from_inside(count: int, hard: int | None) -> list[Remedy]:
    most = "hard" if hard is None else str(hard)
    lines = [
        "import resource",
        *(["hard = resource.RLIM_INFINITY"] if hard is None else []),
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({count}, {most}))",
    ]
    return [
        in_code("Raise it at the start of the program, without root", "\n".join(lines)),
        Remedy(
            title="Raise it in the shell, or the batch script, that starts the job",
            argv=("ulimit", "-n", str(count)),
            lasts=Lasts.PROCESS,
            place=Place.LAUNCHER,
            fits=(Habitat.BARE, Habitat.SLURM),
        ),
    ]


def _from_above(count: int) -> Remedy:
    """The hard limit is in the way: only root lifts it, and a shell for itself."""
    return Remedy(
        title="As root, raise it for the shell that starts the job",
        snippet=f"sudo prlimit --pid $$ --nofile={count}:{count}",
        lasts=Lasts.PROCESS,
        place=Place.LAUNCHER,
        fits=(Habitat.BARE,),
    )


def kept_batches() -> tuple[Remedy, ...]:
    """What mostly lies behind it, and the other way to share tensors."""
    return (
        in_code(
            "Copy what the loop keeps of a batch: a kept tensor holds a descriptor",
            "kept.append(target.clone())",
        ),
        in_code(
            "Or share by files: no descriptors, but a killed job leaves /dev/shm full",
            'torch.multiprocessing.set_sharing_strategy("file_system")',
        ),
    )


def raised_for_all(most: int, site: Site | None) -> tuple[Remedy, ...]:
    """Let the system open twice as many files."""
    return sysctl("fs.file-max", most, 2 * most, site)
