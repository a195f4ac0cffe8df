"""The evidence for a dataset's storage speed, and why the speed may be unknown."""

from collections.abc import Iterator

from pipedoctor.check import Confidence, Finding, Lasts, Remedy, Severity
from pipedoctor.facts import DataSet, Disk
from pipedoctor.units import format_size
from pipedoctor_checks._shared.cold_read import ColdReadRates
from pipedoctor_checks._shared.storage_medium import StorageMedium
from pipedoctor_checks.storage._staging import StagingPlan

SECTOR_BYTES = 512
"""Bytes that `blockdev` counts read-ahead in."""


def collect_evidence(entry: DataSet, speed: ColdReadRates, plan: StagingPlan) -> dict[str, object]:
    """Everything that was read or measured, under the names used in the report."""
    sample, disks = entry.sample, entry.disks
    known: dict[str, object] = {
        "path": entry.path,
        "stack": list(entry.stack),
        "mount.fstype": entry.mount.fstype if entry.mount else None,
        "disks": [f"{d.name} {d.transport} {d.model}".strip() for d in disks],
        "rotational": [disk.rotational for disk in disks],
        "scheduler": [disk.scheduler for disk in disks],
        "files": sample.files if sample else None,
        "bytes": sample.bytes if sample else None,
        "complete": sample.complete if sample else None,
        "files_per_second": speed.files_per_second,
        "bytes_per_second": speed.bytes_per_second,
        "cold": speed.cold if entry.cold_read else None,
        "fits_in_memory": plan.cached,
        "first_epoch_seconds": speed.seconds_to_read(sample) if plan.cached else None,
        "copy.times_as_fast": plan.speedup,
    }
    return {key: value for key, value in known.items() if value not in (None, [])}


def explain_unknown(entry: DataSet, medium: StorageMedium) -> str:
    """Explain why the speed of this dataset is unknown, and how to find out."""
    if entry.hang:
        return f"{entry.path}: {entry.hang.doing or 'a call'} does not answer"
    if entry.cold_read:
        return f"{entry.path}: the reads came from a cache, or were too few"
    why = entry.unknown.get("cold_read") or "not measured"
    lying = [disk.name for disk in entry.disks if disk.rotational]
    if lying and not medium.slow:
        why = f"{', '.join(lying)} may be reported as a hard disk incorrectly; {why}"
    return f"{entry.path}: {why}"


def report_read_ahead(entry: DataSet, speed: ColdReadRates, least: int) -> Iterator[Finding]:
    """Large files are read sequentially: a tiny read-ahead splits that into many requests."""
    sample = entry.sample
    if sample is None or not sample.files or speed.many_small:
        return
    mean = sample.bytes / sample.files
    for disk in entry.disks:
        if disk.read_ahead is not None and disk.read_ahead < least < mean:
            yield Finding(
                severity=Severity.NOTE,
                confidence=Confidence.POSSIBLE,
                summary=f"{disk.name} under {entry.path} has a read-ahead of only"
                f" {format_size(disk.read_ahead)}",
                evidence={"disk": disk.name, "read_ahead": disk.read_ahead},
                remedies=(_set_read_ahead(disk, least),),
            )


def _set_read_ahead(disk: Disk, size: int) -> Remedy:
    def build_argv(size: int) -> tuple[str, ...]:
        return ("blockdev", "--setra", str(size // SECTOR_BYTES), f"/dev/{disk.name}")

    return Remedy(
        title=f"Try a read-ahead of {format_size(size)}",
        argv=build_argv(size),
        undo=build_argv(disk.read_ahead or 0),
        verify=("blockdev", "--getra", f"/dev/{disk.name}"),
        lasts=Lasts.BOOT,
        root=True,
        advice=True,
    )
