"""PDR721: may the process use all the CPUs that it was given?"""

from collections.abc import Iterator

from pipedoctor.check import (
    CannotJudge,
    Counterfactual,
    Finding,
    Findings,
    Lasts,
    Place,
    Remedy,
    Severity,
    check,
)
from pipedoctor.facts import Cpu, Loader, Site
from pipedoctor.units import format_count


@check("PDR721", "The process may use fewer CPUs than it was given", fix="machine")
def cpu_affinity_restricted(cpu: Cpu, loader: Loader | None, site: Site | None, /) -> Findings:
    """
    Compare the affinity mask with the CPUs granted by Slurm, the cpuset or the machine.

    ## Why it hurts

    Workers inherit the affinity mask of the training process: if it has one CPU, they
    all share that CPU. Since Slurm 22.05 `srun` no longer inherits `--cpus-per-task`
    from `sbatch`: the step then gets one CPU per task, while SLURM_CPUS_PER_TASK still
    shows the requested number.

    ## How it is judged

    A mask smaller than SLURM_CPUS_PER_TASK slows the job. Without Slurm a mask smaller
    than the cpuset (or than the machine, minus the CPUs that the kernel isolates) is a
    note, because it may have been set on purpose with `taskset`; it slows the job if it
    is a single CPU, or if there are more workers than CPUs in it. A cpuset, as set by
    `docker run --cpuset-cpus`, is not a restriction, because programs see it. A Slurm
    job that never requested CPUs per task is not judged here.

    ## Sources

    - https://github.com/reframe-hpc/reframe/issues/2655
    - https://github.com/stas00/ml-engineering/blob/master/orchestration/slurm/performance.md
    - https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
    """
    mask = cpu.affinity
    if mask is None:
        message = "cpu: the affinity mask is not known"
        raise CannotJudge(message)
    if cpu.cpuset is None and site is not None and site.container:
        message = "cpu: the cpuset of this container is not known"
        raise CannotJudge(message)
    if cpu.slurm_cpus is not None and not cpu.slurm_per_task:
        return
    free = min(cpu.cpuset or cpu.logical, cpu.logical - cpu.isolated)
    given = free if cpu.slurm_cpus is None else cpu.slurm_cpus
    if mask >= given:
        return

    workers = loader.workers_on_node if loader else None
    crowded = mask == 1 or (workers is not None and workers > mask)
    giver = "the machine has" if cpu.cpuset in {None, cpu.logical} else "its cpuset has"
    giver = "Slurm granted each task" if cpu.slurm_cpus is not None else giver
    yield Finding(
        severity=Severity.SLOWS if crowded or cpu.slurm_cpus else Severity.NOTE,
        summary=f"the process may use {format_count(mask, 'CPU')}, but {giver} {given}",
        evidence={
            "cpu.affinity": mask,
            "cpu.affinity_list": cpu.affinity_list,
            "given": given,
            "loader.workers_on_node": workers,
        },
        counterfactual=Counterfactual(cores=float(given)),
        remedies=tuple(_advise_srun(given) if cpu.slurm_cpus else _widen_affinity(cpu)),
    )


def _advise_srun(cpus: int) -> Iterator[Remedy]:
    yield Remedy(
        title="Pass the number of CPUs per task to srun itself",
        argv=("srun", f"--cpus-per-task={cpus}", "python", "train.py"),
        snippet='export SRUN_CPUS_PER_TASK="$SLURM_CPUS_PER_TASK"',
        lasts=Lasts.PROCESS,
        place=Place.LAUNCHER,
        advice=True,
    )


def _widen_affinity(cpu: Cpu) -> Iterator[Remedy]:
    whole = cpu.cpuset_list or cpu.online_list
    if cpu.pid is not None and whole and cpu.affinity_list:
        pid = str(cpu.pid)
        yield Remedy(
            title=f"Let process {pid} use all CPUs (workers already running keep their mask)",
            argv=("taskset", "-apc", whole, pid),
            undo=("taskset", "-apc", cpu.affinity_list, pid),
            verify=("taskset", "-pc", pid),
            lasts=Lasts.PROCESS,
        )
    elif whole:
        yield Remedy(
            title="Let the shell that starts the job, and the job, use all CPUs",
            snippet=f"taskset -pc {whole} $$",
            lasts=Lasts.PROCESS,
            place=Place.LAUNCHER,
            advice=True,
        )
        yield Remedy(
            title="Alternatively start the job with all CPUs",
            argv=("taskset", "-c", whole, "python", "train.py"),
            lasts=Lasts.PROCESS,
            place=Place.LAUNCHER,
            advice=True,
        )
