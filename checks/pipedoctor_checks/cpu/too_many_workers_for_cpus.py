"""PDR722: are there far more workers than CPUs?"""

import math

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Counterfactual,
    Finding,
    Findings,
    Remedy,
    Severity,
    check,
    grant_cpus,
    in_code,
    select_remedies,
    slurm,
)
from pipedoctor.facts import Cpu, Launcher, Loader, Site
from pipedoctor.units import format_count

_DEFAULT_CPUS = 2


@check(
    "PDR722",
    "There are far more DataLoader workers than CPUs",
    after=("PDR720", "PDR721"),
)
def too_many_workers_for_cpus(
    cpu: Cpu, loader: Loader, site: Site | None, /, *, ratio: float = 1.5
) -> Findings:
    """
    Compare all workers of all ranks and loaders with the CPUs available to them.

    ## Why it hurts

    Workers that decode or augment need a CPU each. More workers than CPUs deliver no
    batch earlier, but switch context, evict each other's caches and cost memory, shared
    memory and start-up time: on two CPUs four workers delivered up to a tenth less than
    two. "Four workers per GPU" has no measurement behind it, and torch's suggested
    maximum is an upper bound for one loader of one process: it ignores the CPU quota
    and the other ranks.

    ## How it is judged

    The number of CPUs is the least of affinity, cpuset, CPU quota, Slurm's grant and
    the machine. More than `ratio` workers per CPU are reported. Workers that mostly
    wait for slow storage may well outnumber the CPUs, so this is likely, never certain:
    only a measurement can tell.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    - https://discuss.pytorch.org/t/guidelines-for-assigning-num-workers-to-dataloader/813
    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    workers = loader.workers_on_node
    if workers is None:
        message = "loader: num_workers is not known"
        raise CannotJudge(message)
    # Slurm binds each task on its own, so a task's ranks share only its CPUs.
    tasks = site.tasks_on_node if site else 1
    here = math.ceil(workers / tasks)
    if here <= cpu.effective * ratio:
        return

    ranks = loader.ranks or 1
    enough = cpu.effective * tasks * ratio
    each = max(1, cpu.effective * tasks // (ranks * loader.loaders))
    whose = "" if tasks == 1 else " of one task"
    yield Finding(
        severity=Severity.SLOWS,
        confidence=Confidence.LIKELY,
        summary=f"{here} workers{whose} share {_describe_cpus(cpu)}",
        evidence={
            "loader.num_workers": loader.num_workers,
            "loader.ranks": ranks,
            "loader.loaders": loader.loaders,
            "cpu.effective": cpu.effective,
            "cpu.binding": cpu.binding,
        },
        counterfactual=Counterfactual(workers=each),
        remedies=(
            in_code(
                f"Start with at most {format_count(each, 'worker')} for each loader, then measure",
                f"DataLoader(..., num_workers={each})",
            ),
            *_give_a_cpu_each(cpu, site, ranks, loader.loaders, enough),
            *_grant_default_job(site, here, cpu.effective),
        ),
    )


def _give_a_cpu_each(
    cpu: Cpu, site: Site | None, ranks: int, loaders: int, enough: float
) -> tuple[Remedy, ...]:
    """What to ask for, or to leave, where even one worker of each loader is too many."""
    least = ranks * loaders
    if least <= enough:
        return ()
    grants: tuple[Remedy, ...] = ()
    if site is not None:
        here = math.ceil(least / site.tasks_on_node)
        title = "Give the job a CPU for each of its workers"
        grants = select_remedies(site.launcher, *grant_cpus(title, here))
    if grants or cpu.binding != "machine":
        return grants
    larger = f"use a machine with at least {format_count(least, 'CPU')}"
    most = int(enough // loaders)
    fewer = f", or run at most {format_count(most, 'rank')} on this one" if 0 < most < ranks else ""
    return (in_code(f"Set num_workers to 1 and {larger}{fewer}"),)


def _grant_default_job(site: Site | None, workers: int, cpus: int) -> tuple[Remedy, ...]:
    """Slurm gives a task one CPU, or one core, unless it is asked for more."""
    if site is None or site.launcher is not Launcher.SLURM or cpus > _DEFAULT_CPUS:
        return ()
    return (
        slurm("Give each task a CPU for each of its workers", f"--cpus-per-task={workers + 1}"),
    )


def _describe_cpus(cpu: Cpu) -> str:
    count = format_count(cpu.effective, "CPU")
    if cpu.binding == "machine":
        return f"{count}, all CPUs of the machine"
    return f"{count}, limited by {cpu.binding}"
