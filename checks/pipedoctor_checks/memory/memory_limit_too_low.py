"""PDR724: is there memory for the workers and the batches in flight?"""

import shlex

from msgspec.structs import replace

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Lasts,
    Remedy,
    Severity,
    check,
    grant_memory,
    in_code,
    select_remedies,
    unit_property,
)
from pipedoctor.facts import Loader, Memory, MemoryLimit, Site
from pipedoctor.facts.loader import DEFAULT_PREFETCH
from pipedoctor.facts.site import Launcher
from pipedoctor.units import GiB, MiB, format_count, format_size
from pipedoctor_checks._shared.assumed_job import describe_assumed_job

WORKER_BYTES = 10 * MiB
"""Private memory of a forked worker that has done nothing yet (torch 2.13, CPU)."""

DEFAULT_LOADER = Loader(num_workers=1)
"""The smallest realistic job."""

_CONFIDENCE = {True: Confidence.POSSIBLE, False: Confidence.LIKELY}
"""Whether forked workers fit at least."""
_OWNERS = {True: "the machine", False: "the control group"}


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
    Compare the limit of the control group, and the free memory, with the job's need.

    ## Why it hurts

    The kernel kills a process of a group that exceeds its memory limit: `DataLoader
    worker (pid N) is killed by signal: Killed`. Batches in /dev/shm count as memory
    of the group that wrote them; a /dev/shm larger than the limit does not help.

    ## How it is judged

    Batches in flight that exceed the limit and the swap together break the job. A
    worker that is spawned has `worker_bytes` of private memory, a process that imports
    torch `main_bytes` (measured with torch 2.13 for CPUs); a forked worker starts with
    10 MiB, and grows. If the batches, all ranks and all workers exceed the free memory,
    the job is at risk: likely if even forked workers do not fit, else possibly.
    Datasets and models are not included. Unknown job: one worker. Past OOM kills in a
    group with a limit are a risk by themselves.

    ## Sources

    - https://docs.kernel.org/admin-guide/cgroup-v2.html
    - https://docs.kernel.org/admin-guide/cgroup-v1/memory.html
    - https://github.com/pytorch/pytorch/issues/13246
    """
    known = loader is not None and loader.workers_on_node is not None
    group, job = memory.group, loader if loader and known else DEFAULT_LOADER
    batches, workers = job.bytes_in_flight or 0, job.workers_on_node or 0
    mains = batches + (job.ranks or 1) * main_bytes
    need = mains + workers * worker_bytes
    room = memory.limit if job.is_running else memory.usable_bytes
    over, confidence = batches > memory.limit + memory.usable_swap, Confidence.CERTAIN
    if over:
        need_text = f"the batches in flight take {format_size(batches)}"
    elif need > room:
        confidence = _CONFIDENCE[mains + workers * WORKER_BYTES <= room]
        need_text = _summarize(workers, batches, need, room)
    elif kills := _count_kills(group):
        need_text = f"the kernel has killed {format_count(kills, 'process')} here"
    elif memory.group_unknown:
        raise CannotJudge(memory.group_unknown)
    else:
        return
    yield Finding(
        severity=Severity.BREAKS if over else Severity.RISKS,
        confidence=confidence,
        summary=f"{need_text}; {_OWNERS[group is None]} may use {format_size(memory.limit)}",
        evidence=_collect_evidence(memory, need),
        assumed="" if known else describe_assumed_job(job, None, loader),
        remedies=select_remedies(
            site.launcher if site else None,
            *_raise_limit(group, memory, need),
            *(_start_fewer_workers(job, room, main_bytes, worker_bytes) if need > room else ()),
            *_write_limit(group, memory, need),
        ),
    )


def _count_kills(group: MemoryLimit | None) -> int:
    """Processes of the group that the kernel has killed."""
    return (group.oom_kills if group else None) or 0


def _collect_evidence(memory: Memory, need: int) -> dict[str, object]:
    return {
        "memory.limit": memory.limit,
        "memory.room": memory.usable_bytes,
        "memory.group.source": memory.group.source if memory.group else "",
        "memory.group.oom_kills": _count_kills(memory.group),
        "needed": need,
    }


def _summarize(workers: int, batches: int, need: int, room: int) -> str:
    flying = f" and {format_size(batches)} of batches in flight" if batches else ""
    job = f"a job with {format_count(workers, 'worker')}{flying}"
    return f"{job} takes about {format_size(need)}, but only {format_size(room)} are free"


def _start_fewer_workers(
    job: Loader, room: int, main_bytes: int, worker_bytes: int
) -> tuple[Remedy, ...]:
    """The most workers that fit, with the batches that they keep in flight."""
    usual = job.prefetch_factor or DEFAULT_PREFETCH
    for workers in range(job.num_workers or 1, -1, -1):
        for prefetch in dict.fromkeys((usual, 1)):
            smaller = replace(job, num_workers=workers, prefetch_factor=prefetch)
            taken = (job.ranks or 1) * main_bytes + (smaller.bytes_in_flight or 0)
            if taken + (smaller.workers_on_node or 0) * worker_bytes <= room:
                return (_set_workers(workers, prefetch if prefetch != usual else None),)
    return ()


def _set_workers(workers: int, prefetch: int | None) -> Remedy:
    if not workers:
        return in_code("Load in the main process", "DataLoader(..., num_workers=0)")
    title = f"Use at most {format_count(workers, 'worker')} in each loader"
    code = f"num_workers={workers}"
    if prefetch is not None:
        title += f", and prefetch {format_count(prefetch, 'batch')}"
        code += f", prefetch_factor={prefetch}"
    return in_code(title, f"DataLoader(..., {code})")


def _choose_size(memory: Memory, need: int) -> int:
    """Beside what the group already uses, a quarter more than the job needs, in bytes."""
    used = max(0, memory.group.limit - memory.usable_bytes) if memory.group else 0
    return max(used + need * 5 // 4, memory.limit + 1)


def _write_limit(group: MemoryLimit | None, memory: Memory, need: int) -> tuple[Remedy, ...]:
    """The limit of a group that no unit of systemd owns; none: the machine has not so much."""
    if group is None:
        return ()
    size = _choose_size(memory, need)
    known = group.source.endswith(("/memory.max", "/memory.limit_in_bytes"))
    if not known or size > memory.total or unit_property("", group.source, ""):
        return ()
    return (
        Remedy(
            title="Raise the limit of the control group, if its owner agrees",
            argv=("sh", "-c", f"echo {-(-size // MiB)}M > {shlex.quote(group.source)}"),
            lasts=Lasts.BOOT,
            root=True,
            fits=(Launcher.BARE,),
            advice=True,
        ),
    )


def _raise_limit(group: MemoryLimit | None, memory: Memory, need: int) -> tuple[Remedy, ...]:
    if group is None:
        return ()
    size = _choose_size(memory, need)
    unit = "Raise the limit of the systemd unit, if its owner agrees"
    return (
        *grant_memory("Give the job more memory", size),
        *unit_property(unit, group.source, f"MemoryMax={-(-size // GiB)}G"),
    )
