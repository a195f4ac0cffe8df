"""PDR724: is there memory for the workers and the batches in flight?"""

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Loader, Memory, MemoryLimit, Site
from pipedoctor.remedy import Remedy, fitting, grant_memory, in_code, unit_property
from pipedoctor.units import GiB, MiB, human, many

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
    known = loader is not None and loader.workers_on_node is not None
    group, job = memory.group, loader if loader and known else NOBODY
    batches, workers = job.bytes_in_flight or 0, job.workers_on_node or 0
    mains = batches + (job.ranks or 1) * main_bytes
    need = mains + workers * worker_bytes
    room = memory.limit if job.running else memory.room
    kills = (group.oom_kills if group else None) or 0
    over, confidence = batches > memory.limit + memory.swap, Confidence.CERTAIN
    if over:
        said = f"the batches in flight take {human(batches)}"
    elif need > room:
        fits = mains + workers * FORKED <= room
        confidence = Confidence.POSSIBLE if fits else Confidence.LIKELY
        said = _too_much(workers, batches, need, room)
    elif kills:
        said = f"the kernel has killed {many(kills, 'process')} here"
    elif memory.group_unknown:
        raise CannotJudge(memory.group_unknown)
    else:
        return
    yield Finding(
        severity=Severity.BREAKS if over else Severity.RISKS,
        confidence=confidence,
        summary=f"{said}; {_owner(group)} may use {human(memory.limit)}",
        evidence=_evidence(memory, kills, need),
        remedies=fitting(
            site.habitat if site else None,
            *(_raise(group, max(need * 5 // 4, memory.limit + 1)) if group else ()),
            in_code("Keep less in flight: fewer workers, prefetch_factor=1"),
        ),
    )


def _owner(group: MemoryLimit | None) -> str:
    return "the control group" if group else "the machine"


def _evidence(memory: Memory, kills: int, need: int) -> dict[str, object]:
    return {
        "memory.limit": memory.limit,
        "memory.room": memory.room,
        "memory.group.source": memory.group.source if memory.group else "",
        "memory.group.oom_kills": kills,
        "needed": need,
    }


def _too_much(workers: int, batches: int, need: int, room: int) -> str:
    flying = f" and {human(batches)} of batches in flight" if batches else ""
    job = f"a job with {many(workers, 'worker')}{flying}"
    return f"{job} takes about {human(need)}, {human(room)} are free"


def _raise(group: MemoryLimit, size: int) -> tuple[Remedy, ...]:
    unit = "Raise the limit of the systemd unit, if its owner agrees"
    return (
        *grant_memory("Give the job more memory", size),
        *unit_property(unit, group.source, f"MemoryMax={-(-size // GiB)}G"),
    )
