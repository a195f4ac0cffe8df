"""Findings about a /dev/shm that cannot hold a job's batches, and their remedies."""

from pipedoctor.check import (
    Confidence,
    Counterfactual,
    Finding,
    Remedy,
    Severity,
    grant_memory,
    select_remedies,
)
from pipedoctor.facts import Memory, Shm, Site
from pipedoctor.units import format_count, format_size
from pipedoctor_checks._shared.larger_shm import (
    enlarge_shm,
    mount_tmpfs,
    remount_writable,
    shrink_job,
)
from pipedoctor_checks.limits._batches_in_flight import ShmDemand


def report_unusable_shm(shm: Shm, site: Site | None, size: int) -> Finding:
    """Nothing can be written there, or only at the speed of a disk; the job needs `size`."""
    severity, remedies = Severity.BREAKS, mount_tmpfs(site)
    if shm.missing:
        summary = "there is no /dev/shm: workers cannot send their batches"
    elif shm.read_only:
        summary = "/dev/shm is read-only: workers cannot send their batches"
        remedies = (remount_writable(shm, size),) if shm.remountable else ()
    else:
        summary = f"/dev/shm is on {shm.fstype}, not in memory"
        severity = Severity.SLOWS
    evidence = {"shm.fstype": shm.fstype, "shm.read_only": shm.read_only}
    return Finding(severity=severity, summary=summary, evidence=evidence, remedies=remedies)


def report_batch_limit(demand: ShmDemand, site: Site | None, batch: int) -> Finding:
    """The batch size is unknown; an ordinary batch of `batch` is too large."""
    size = demand.size_for(int(demand.batches * batch * demand.headroom))
    largest = int(demand.largest_batch)
    who = format_count(demand.job.num_workers or 0, "worker")
    few = f"{who} can send batches of at most {format_size(largest)}"
    return Finding(
        severity=Severity.RISKS,
        summary=f"{demand.describe_shortage()}: {few}",
        evidence=demand.evidence | {"fits.batch_bytes": largest},
        counterfactual=Counterfactual(freed="/dev/shm"),
        remedies=(
            *enlarge_shm(demand.shm, site, size),
            _send_less(demand, demand.available_bytes, batch),
        ),
    )


def _send_less(demand: ShmDemand, room: float, batch: int) -> Remedy:
    """The most workers that can send batches of so many bytes; few prefetch less."""
    workers, argument = demand.count_fitting_workers(room, batch), ""
    if not workers and (workers := demand.count_fitting_workers(room, batch, prefetch=1)):
        argument = ", prefetch_factor=1"
    title = f"{_worker_advice(workers)}, with batches of {format_size(batch)}"
    return shrink_job(
        title if workers else "Load in the main process", f"num_workers={workers}{argument}"
    )


def report_memory_limit(demand: ShmDemand, memory: Memory, site: Site | None) -> Finding:
    """The tmpfs has room, but exceeds the memory limit; swap may delay the kill."""
    group = memory.group
    least = group.swap if group and group.swap is not None else memory.swap_total
    fatal = demand.least_bytes > memory.limit + min(least, memory.swap_total)
    grant = grant_memory("Raise the memory limit", memory.limit + demand.recommended_bytes)
    return Finding(
        severity=Severity.BREAKS if fatal else Severity.RISKS,
        summary=f"the workers need {format_size(demand.least_bytes)} in /dev/shm, but the"
        f" memory {'limit is' if group else 'is only'} {format_size(memory.limit)}",
        evidence=demand.evidence | {"needed": demand.least_bytes, "memory.limit": memory.limit},
        remedies=(
            *(select_remedies(site.launcher if site else None, *grant) if group else ()),
            _send_less(demand, memory.limit, demand.job.batch_bytes or 1),
        ),
    )


def report_overflow(
    demand: ShmDemand, memory: Memory | None, site: Site | None, *, sure: bool
) -> Finding:
    """They need more than there is; unless `sure`, their number is only assumed."""
    fatal = sure and demand.available_bytes < demand.least_bytes
    who = "the workers" if sure else f"{format_count(demand.job.num_workers or 0, 'worker')} would"
    size = demand.size_for(demand.recommended_bytes)
    growable = memory is None or size <= memory.limit
    fits = demand.fits
    return Finding(
        severity=Severity.BREAKS if fatal else Severity.RISKS,
        confidence=Confidence.CERTAIN if sure else Confidence.POSSIBLE,
        summary=f"{demand.describe_shortage()}, but {who} need"
        f" {format_size(demand.recommended_bytes)}",
        evidence=demand.evidence | {"needed": demand.recommended_bytes} | fits,
        counterfactual=Counterfactual(freed="/dev/shm"),
        remedies=(
            *(enlarge_shm(demand.shm, site, size) if growable else ()),
            shrink_job(
                f"{_worker_advice(fits['fits.num_workers'])}, "
                f"or batches of at most {format_size(fits['fits.batch_bytes'])}",
                f"num_workers={fits['fits.num_workers']}",
            ),
        ),
    )


def _worker_advice(workers: int) -> str:
    return f"Use num_workers={workers}" + (" at most" if workers else "")
