"""PDR721: may the process use all the CPUs that it was given?"""

from collections.abc import Iterator

from pipedoctor.check import (
    CannotJudge,
    Counterfactual,
    Finding,
    Findings,
    Severity,
    check,
)
from pipedoctor.facts import Cpu, Loader, Site
from pipedoctor.remedy import Lasts, Place, Remedy
from pipedoctor.units import many


@check("PDR721", "The process is bound to fewer CPUs than it was given")
def cpu_affinity_restricted(
    cpu: Cpu, loader: Loader | None, site: Site | None, /
) -> Findings:
    """
    Compare the affinity mask with what Slurm, the cpuset or the machine grants.

    ## Why it hurts

    Workers inherit the affinity mask of the training process: with one CPU in it
    they all take turns on that CPU. Since Slurm 22.05 `srun` no longer takes over
    `--cpus-per-task` from `sbatch`: the step then gets one CPU per task, while
    SLURM_CPUS_PER_TASK still says what was asked for.

    ## How it is judged

    A mask smaller than SLURM_CPUS_PER_TASK slows the job. Without Slurm a mask
    smaller than the cpuset (or than the machine, less the CPUs that the kernel
    isolates) is a note, for somebody may have chosen it with `taskset`; it slows
    the job when it is a single CPU, or when there are more workers than CPUs in
    it. A cpuset, as `docker run --cpuset-cpus` makes, is no restriction: programs
    see it. A Slurm job that never asked for CPUs per task is not judged here.

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
        summary=f"the process may use {many(mask, 'CPU')}, {giver} {given}",
        evidence={
            "cpu.affinity": mask,
            "cpu.affinity_list": cpu.affinity_list,
            "given": given,
            "loader.workers_on_node": workers,
        },
        counterfactual=Counterfactual(cores=float(given)),
        remedies=tuple(_slurm(given) if cpu.slurm_cpus else _widen(cpu)),
    )


def _slurm(cpus: int) -> Iterator[Remedy]:
    yield Remedy(
        title="Tell srun itself how many CPUs each task gets",
        argv=("srun", f"--cpus-per-task={cpus}", "python", "train.py"),
        snippet='export SRUN_CPUS_PER_TASK="$SLURM_CPUS_PER_TASK"',
        lasts=Lasts.PROCESS,
        place=Place.LAUNCHER,
        advice=True,
    )


def _widen(cpu: Cpu) -> Iterator[Remedy]:
    whole = cpu.cpuset_list or cpu.online_list
    if cpu.pid is not None and whole and cpu.affinity_list:
        pid = str(cpu.pid)
        yield Remedy(
            title=f"Let process {pid} use all CPUs (its running workers keep theirs)",
            argv=("taskset", "-apc", whole, pid),
            undo=("taskset", "-apc", cpu.affinity_list, pid),
            verify=("taskset", "-pc", pid),
            lasts=Lasts.PROCESS,
        )
    elif whole:
        yield Remedy(
            title="Start the job with all CPUs",
            argv=("taskset", "-c", whole, "python", "train.py"),
            lasts=Lasts.PROCESS,
            place=Place.LAUNCHER,
            advice=True,
        )
