"""Remedies that give a job the descriptors that it needs, by place."""

from pipedoctor.check import (
    Lasts,
    Place,
    Remedy,
    in_code,
    select_remedies,
)
from pipedoctor.facts import Launcher, Limits, Site
from pipedoctor.facts.log import Log
from pipedoctor_checks._shared.sysctl import set_sysctl
from pipedoctor_checks.limits._descriptor_launchers import raise_in_launchers
from pipedoctor_checks.limits._descriptor_need import DescriptorNeed
from pipedoctor_checks.limits._limit_of_shell import raise_as_root

ENOUGH_DESCRIPTORS = 65536
HARD_LIMIT = 524288
"""systemd's default for the hard limit."""


def raise_limit(limits: Limits, site: Site | None, need: DescriptorNeed) -> tuple[Remedy, ...]:
    """Raise the limit for the running job, in the program, and where it starts."""
    count = min(max(ENOUGH_DESCRIPTORS, 2 * need.plain), limits.nr_open or ENOUGH_DESCRIPTORS)
    soft, hard = limits.nofile.soft or 0, limits.nofile.hard
    within = count if hard is None else min(count, hard)
    suffices = within > max(soft, need.plain, 2 * (limits.open_files or 0))
    powerless = site is not None and site.root and not site.sys_resource
    remedies: list[Remedy] = []
    if limits.pid is not None and (suffices or not powerless):
        remedies.append(_raise_running(limits, within if suffices else count))
    if within > soft:
        remedies += _raise_soft_limit(within)
    if limits.pid is None and not suffices and not powerless:
        remedies.append(raise_as_root("nofile", count))
    highest = min(max(count, hard or 0, HARD_LIMIT), limits.nr_open or HARD_LIMIT)
    remedies += raise_in_launchers(count, highest, possible=within == count)
    return select_remedies(site.launcher if site else None, *remedies)


def _raise_running(limits: Limits, count: int) -> Remedy:
    """Beyond the hard limit it needs CAP_SYS_RESOURCE, which not every root has."""
    soft, hard = limits.nofile.soft, limits.nofile.hard
    most = None if hard is None else max(count, hard)
    prlimit = ("prlimit", "--pid", str(limits.pid))
    return Remedy(
        title="Raise the limit of the running process",
        argv=(*prlimit, f"--nofile={count}:{_format_limit(most)}"),
        undo=(*prlimit, f"--nofile={_format_limit(soft)}:{_format_limit(hard)}"),
        verify=(*prlimit, "--nofile"),
        lasts=Lasts.PROCESS,
        root=most != hard,
    )


def _format_limit(limit: int | None) -> str:
    return "unlimited" if limit is None else str(limit)


def _raise_soft_limit(count: int) -> list[Remedy]:
    lines = (
        "import resource\n\n"
        "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, (min({count}, hard), hard))"
    )
    return [
        Remedy(
            title="Raise the limit in the shell or batch script that starts the job",
            argv=("ulimit", "-n", str(count)),
            lasts=Lasts.PROCESS,
            place=Place.LAUNCHER,
            fits=(Launcher.BARE, Launcher.SLURM),
        ),
        in_code("Raise the limit at the start of the program", lines),
    ]


def release_batches(log: Log | None) -> tuple[Remedy, ...]:
    """Advise against keeping batches, and name the other way to share tensors."""
    where = log.find_value("fd_limit_exhausted", "list") if log else ""
    kept = log.find_value("fd_limit_exhausted", "kept") if log else ""
    return (
        in_code(
            "Copy what the loop keeps of a batch (a kept tensor holds a descriptor)",
            f"{where or 'kept'}.append({kept or 'target'}.clone())",
        ),
        in_code(
            "Alternatively share by files: no descriptors, but a killed job leaves files in"
            " /dev/shm",
            'torch.multiprocessing.set_sharing_strategy("file_system")',
        ),
    )


def raise_file_max(most: int, site: Site | None) -> tuple[Remedy, ...]:
    """Let the system open twice as many files."""
    return set_sysctl("fs.file-max", most, 2 * most, site)
