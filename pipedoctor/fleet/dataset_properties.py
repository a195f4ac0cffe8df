"""What is compared of the storage under a dataset; of several the slowest counts."""

from collections.abc import Iterable, Iterator
from typing import Any

from pipedoctor.facts import BenchDisk, DataSets


def list_dataset_properties(fact: DataSets) -> Iterator[tuple[str, Any]]:
    """Hangs, file systems, files that were counted in full, and cold rates."""
    entries = fact.entries
    if not entries:
        return
    yield "datasets.hang", any(entry.hang for entry in entries)
    kinds = sorted({entry.mount.fstype for entry in entries if entry.mount})
    if kinds:
        yield "datasets.mount.fstype", " ".join(kinds)
    samples = [entry.sample for entry in entries if entry.sample]
    if len(samples) == len(entries) and all(one.complete for one in samples):
        yield "datasets.sample.files", sum(one.files for one in samples)
    reads = [e.cold_read for e in entries if e.cold_read and e.cold_read.cold]
    for field in ("bytes_per_second", "small_files_per_second"):
        slowest = _find_minimum(getattr(one, field) for one in reads)
        if slowest is not None:
            yield f"datasets.cold_read.{field}", slowest


def list_disk_properties(fact: BenchDisk) -> Iterator[tuple[str, Any]]:
    """The slowest of what `bench disk` read past the page cache in a row."""
    rates = (
        reading.rate.value
        for reading in fact.readings
        if reading.cache == "cold" and reading.rate is not None
    )
    slowest = _find_minimum(rates)
    if slowest is not None:
        yield "bench_disk.bytes_per_second", slowest


def _find_minimum(values: Iterable[float | None]) -> float | None:
    return min((value for value in values if value is not None), default=None)
