"""What the judgement of a data set rests on, and why there may be none."""

from collections.abc import Iterator

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.facts import DataSet, Disk
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor.units import human
from pipedoctor_checks._medium import Medium
from pipedoctor_checks._reading import Reading
from pipedoctor_checks._staging import Plan

SECTOR = 512
"""Bytes that `blockdev` counts read-ahead in."""


def evidence(entry: DataSet, speed: Reading, plan: Plan) -> dict[str, object]:
    """Everything that was read or measured, by the names of the report."""
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
        "first_epoch_seconds": speed.seconds(sample) if plan.cached else None,
        "copy.times_as_fast": plan.times,
    }
    return {key: value for key, value in known.items() if value not in (None, [])}


def doubt(entry: DataSet, under: Medium) -> str:
    """Why nobody can say how fast this data set is, and what would tell."""
    if entry.hang:
        return f"{entry.path}: {entry.hang.doing or 'a call'} does not come back"
    if entry.cold_read:
        return f"{entry.path}: the reads came out of a cache, or were too few"
    why = entry.unknown.get("cold_read") or "not measured"
    lying = [disk.name for disk in entry.disks if disk.rotational]
    if lying and not under.slow:
        why = f"{', '.join(lying)} may lie about being a hard disk; {why}"
    return f"{entry.path}: {why}"


def read_ahead_note(entry: DataSet, speed: Reading, least: int) -> Iterator[Finding]:
    """Large files are read in sequence: a tiny read-ahead makes many requests of it."""
    sample = entry.sample
    if sample is None or not sample.files or speed.many_small:
        return
    mean = sample.bytes / sample.files
    for disk in entry.disks:
        if disk.read_ahead is not None and disk.read_ahead < least < mean:
            yield Finding(
                severity=Severity.NOTE,
                confidence=Confidence.POSSIBLE,
                summary=f"{disk.name} under {entry.path} reads only"
                f" {human(disk.read_ahead)} ahead",
                evidence={"disk": disk.name, "read_ahead": disk.read_ahead},
                remedies=(_set(disk, least),),
            )


def _set(disk: Disk, size: int) -> Remedy:
    def ahead(size: int) -> tuple[str, ...]:
        return ("blockdev", "--setra", str(size // SECTOR), f"/dev/{disk.name}")

    return Remedy(
        title=f"Try a read-ahead of {human(size)}",
        argv=ahead(size),
        undo=ahead(disk.read_ahead or 0),
        verify=("blockdev", "--getra", f"/dev/{disk.name}"),
        lasts=Lasts.BOOT,
        root=True,
        advice=True,
    )
