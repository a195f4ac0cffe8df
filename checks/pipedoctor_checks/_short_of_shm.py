"""What to say of a /dev/shm that cannot hold a job's batches, and what to do."""

from pipedoctor.check import Confidence, Counterfactual, Finding, Severity
from pipedoctor.facts import Memory, Shm, Site
from pipedoctor.remedy import fitting, grant_memory
from pipedoctor.units import human, many
from pipedoctor_checks._in_flight import InFlight
from pipedoctor_checks._larger_shm import (
    larger,
    mounted_anew,
    smaller_job,
    writable,
)

FEWER = "Use fewer workers and smaller batches"


def unfit(shm: Shm, site: Site | None) -> Finding:
    """Nothing can be written there, or only as fast as a disk takes it."""
    severity, cures = Severity.BREAKS, mounted_anew(site)
    if shm.missing:
        summary = "there is no /dev/shm: workers cannot send their batches"
    elif shm.read_only:
        summary = "/dev/shm is read-only: workers cannot send their batches"
        cures = (writable(),) if shm.remountable else ()
    else:
        summary = f"/dev/shm lies on {shm.fstype}, not in memory"
        severity = Severity.SLOWS
    evidence = {"shm.fstype": shm.fstype, "shm.read_only": shm.read_only}
    return Finding(
        severity=severity, summary=summary, evidence=evidence, remedies=cures
    )


def only_small_batches(case: InFlight, site: Site | None, batch: int) -> Finding:
    """Nobody told the size of a batch, and an ordinary one of `batch` is too much."""
    size = case.size_for(int(case.batches * batch * case.headroom))
    largest = int(case.largest_batch)
    who = many(case.job.num_workers or 0, "worker")
    few = f"{who} can send batches of at most {human(largest)}"
    return Finding(
        severity=Severity.RISKS,
        summary=f"{case.has()}: {few}",
        evidence=case.evidence | {"fits.batch_bytes": largest},
        counterfactual=Counterfactual(freed="/dev/shm"),
        remedies=(
            *larger(case.shm, site, size),
            smaller_job(FEWER),
        ),
    )


def out_of_memory(case: InFlight, memory: Memory, site: Site | None) -> Finding:
    """A tmpfs takes it and the kernel kills for it; swap may put that off."""
    group = memory.group
    least = group.swap if group and group.swap is not None else memory.swap_total
    fatal = case.need > memory.limit + min(least, memory.swap_total)
    grant = grant_memory("Raise the memory limit", memory.limit + case.needed)
    return Finding(
        severity=Severity.BREAKS if fatal else Severity.RISKS,
        summary=f"the workers need {human(case.need)} in /dev/shm, "
        f"the memory {'limit is' if group else 'is only'} {human(memory.limit)}",
        evidence=case.evidence | {"needed": case.need, "memory.limit": memory.limit},
        remedies=(
            *(fitting(site.habitat if site else None, *grant) if group else ()),
            smaller_job(FEWER),
        ),
    )


def overflow(
    case: InFlight, memory: Memory | None, site: Site | None, *, sure: bool
) -> Finding:
    """They need more than there is; unless `sure`, their number is only assumed."""
    fatal = sure and case.room < case.need
    who = (
        "the workers" if sure else f"{many(case.job.num_workers or 0, 'worker')} would"
    )
    size = case.size_for(case.needed)
    growable = memory is None or size <= memory.limit
    fits = case.fits
    return Finding(
        severity=Severity.BREAKS if fatal else Severity.RISKS,
        confidence=Confidence.CERTAIN if sure else Confidence.POSSIBLE,
        summary=f"{case.has()}, {who} need {human(case.needed)}",
        evidence=case.evidence | {"needed": case.needed} | fits,
        counterfactual=Counterfactual(freed="/dev/shm"),
        remedies=(
            *(larger(case.shm, site, size) if growable else ()),
            smaller_job(
                f"{_at_most(fits['fits.num_workers'])}, "
                f"or batches of at most {human(fits['fits.batch_bytes'])}",
                f"num_workers={fits['fits.num_workers']}",
            ),
        ),
    )


def _at_most(workers: int) -> str:
    return f"Use num_workers={workers}" + (" at most" if workers else "")
