"""PDR724: is there memory for the workers and the batches in flight?"""

from collections.abc import Iterator

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Loader, Memory, Site
from pipedoctor.remedy import Remedy, docker_run, fitting, in_code, kubernetes, slurm
from pipedoctor.units import GiB, MiB, human

FORKED = 10 * MiB
"""Of its own, a forked worker that has done nothing yet (torch 2.13, CPU)."""

NOBODY = Loader(num_workers=1)
"""The smallest job worth the name."""


@check("PDR724", "The job needs more memory than it may use")
def memory_limit_too_low(
    memory: Memory,
    loader: Loader | None,
    site: Site | None,
    /,
    *,
    worker_bytes: int = 146 * MiB,
    main_bytes: int = 165 * MiB,
) -> Findings:
    """
    Compare the limit of the control group, and what is free, with the job's need.

    ## Why it hurts

    The kernel kills a process of a group that exceeds its memory limit: `DataLoader
    worker (pid N) is killed by signal: Killed`. Batches in /dev/shm count as memory
    of the group that wrote them; a /dev/shm larger than the limit does not help.

    ## How it is judged

    Batches in flight that exceed the limit and the swap together break the job.
    A worker that is spawned has `worker_bytes` of its own, a process that imports
    torch `main_bytes` (measured with torch 2.13 for CPUs); a forked worker begins
    with 10 MiB, and grows. When the batches, all ranks and all workers exceed what
    is free, the job is at risk: likely if even forked workers do not fit, else
    possibly. Data sets and models come on top. No job is known: one worker. Past
    kills in a group with a limit are a risk by themselves.

    ## Sources

    - https://docs.kernel.org/admin-guide/cgroup-v2.html
    - https://docs.kernel.org/admin-guide/cgroup-v1/memory.html
    - https://github.com/pytorch/pytorch/issues/13246
    """
    job = loader if loader and loader.workers_on_node is not None else NOBODY
    batches, workers = job.bytes_in_flight or 0, job.workers_on_node or 0
    least = batches + workers * FORKED + (job.ranks or 1) * main_bytes
    need = batches + workers * worker_bytes + (job.ranks or 1) * main_bytes
    running = any(origin.startswith("pid") for origin in job.origin.values())
    room = memory.limit if running else memory.room
    kills = (memory.group.oom_kills if memory.group else None) or 0
    fatal = batches > memory.limit + _swap(memory)
    if fatal:
        said = f"the batches in flight take {human(batches)}"
    elif need > room:
        said = f"{_plural(workers, 'worker')} and {human(batches)} of batches in flight"
        said += f" take about {human(need)}, {human(room)} are free"
    elif kills:
        said = f"the kernel has killed {_plural(kills, 'process')} here"
    elif memory.group_unknown:
        raise CannotJudge(memory.group_unknown)
    else:
        return

    owner = "the control group" if memory.group else "the machine"
    sure = fatal or need <= room
    yield Finding(
        severity=Severity.BREAKS if fatal else Severity.RISKS,
        confidence=Confidence.CERTAIN
        if sure
        else (Confidence.LIKELY if least > room else Confidence.POSSIBLE),
        summary=f"{said}; {owner} may use {human(memory.limit)}",
        evidence={
            "memory.limit": memory.limit,
            "memory.room": memory.room,
            "memory.group.source": memory.group.source if memory.group else "",
            "memory.group.oom_kills": kills,
            "needed": need,
        },
        remedies=fitting(
            site.habitat if site else None,
            *(_raise(max(need * 5 // 4, memory.limit + 1)) if memory.group else ()),
            in_code("Keep less in flight: fewer workers, prefetch_factor=1"),
        ),
    )


def _swap(memory: Memory) -> int:
    group = memory.group.swap if memory.group else None
    return memory.swap_total if group is None else min(group, memory.swap_total)


def _plural(count: int, noun: str) -> str:
    many = "es" if noun.endswith("s") else "s"
    return f"{count} {noun}" if count == 1 else f"{count} {noun}{many}"


def _raise(size: int) -> Iterator[Remedy]:
    whole = -(-size // GiB)
    yield docker_run("Give the container more memory", f"--memory={whole}g")
    limits = {"resources": {"limits": {"memory": f"{whole}Gi"}}}
    yield kubernetes("Raise the memory limit of the container", limits)
    yield slurm("Ask for more memory", f"--mem={whole}G")
