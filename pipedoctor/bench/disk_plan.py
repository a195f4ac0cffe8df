"""The readings that `bench disk` makes, and how their counts become facts."""

import random
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pipedoctor.bench.file_reading import ReadJob
from pipedoctor.bench.interval import compute_spread
from pipedoctor.facts import ColdRead
from pipedoctor.facts.bench_disk import DiskReading, ReadPattern
from pipedoctor.units import MiB

SMALL_FILE_BYTES = MiB
"""Files up to this size are read whole, as loaders of single images do."""
RANDOM_BLOCK_BYTES = 128 << 10
"""Bytes of a random read: a picture, or a record of a shard."""
SEQUENTIAL_BYTES = MiB
PARALLEL_READERS = 8
"""Readers at once: as many workers as a GPU often gets."""
MAX_SMALL_FILES = 4000
MAX_LARGE_FILES = 64
MAX_BLOCKS = 20_000
MIN_COLD_SHARE = 0.5
"""Share that must have come from storage for a reading to be cold."""


class ReadingPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One reading to make."""

    pattern: ReadPattern
    cold: bool
    readers: int


READING_PLANS = (
    ReadingPlan(pattern="small files", cold=True, readers=1),
    ReadingPlan(pattern="small files", cold=True, readers=PARALLEL_READERS),
    ReadingPlan(pattern="small files", cold=False, readers=1),
    ReadingPlan(pattern="sequential", cold=True, readers=1),
    ReadingPlan(pattern="sequential", cold=False, readers=1),
    ReadingPlan(pattern="random", cold=True, readers=1),
    ReadingPlan(pattern="random", cold=True, readers=PARALLEL_READERS),
    ReadingPlan(pattern="random", cold=False, readers=1),
)


@dataclass
class ReadableFiles:
    """What is there to read; names as bytes, for they may be no text."""

    small: list[bytes] = field(default_factory=list[bytes])
    large: list[tuple[bytes, int]] = field(default_factory=list[tuple[bytes, int]])


def build_jobs(plan: ReadingPlan, files: ReadableFiles) -> list[ReadJob]:
    """What this plan reads, in its order; the warm one what the cold one did."""
    dice = random.Random(plan.readers)  # noqa: S311  (no secret)
    if plan.pattern == "small files":
        # Every plan with so many readers reads files of its own half.
        chosen = files.small[plan.readers > 1 :: 2] or files.small
        return [ReadJob(path) for path in dice.sample(chosen, len(chosen))]
    if plan.pattern == "sequential":
        return [
            ReadJob(path, at, min(SEQUENTIAL_BYTES, size - at))
            for path, size in files.large
            for at in range(0, min(size, 512 * MiB), SEQUENTIAL_BYTES)
        ]
    blocks = [
        ReadJob(path, at, RANDOM_BLOCK_BYTES)
        for path, size in files.large
        for at in range(0, min(size, 1024 * MiB) - RANDOM_BLOCK_BYTES, RANDOM_BLOCK_BYTES)
    ]
    half = blocks[plan.readers > 1 :: 2] or blocks
    return dice.sample(half, min(len(half), MAX_BLOCKS))


MISSING_FILES = {
    "small files": "no file of at most 1 MiB",
    "sequential": "no file larger than 1 MiB",
    "random": "no file larger than 1 MiB",
}


def build_reading(plan: ReadingPlan, counts: dict[str, Any]) -> DiskReading:
    """Windows and counts as a fact; a cold one that was not cold has no rate."""
    windows = counts["windows"]
    size = int(sum(window["bytes"] for window in windows))
    missed = counts["missed"]
    device = counts["device"]
    if device and size:
        # Where the kernel reads ahead, the next piece is there before it is asked for.
        missed = max(missed or 0.0, min(1.0, device / size))
    doubt = ""
    if plan.cold and missed is None:
        doubt = "cannot determine on this machine whether the data came from a cache"
    elif plan.cold and missed < MIN_COLD_SHARE:
        doubt = "the page cache could not be bypassed"
    return DiskReading(
        pattern=plan.pattern,
        cache="cold" if plan.cold else "warm",
        readers=plan.readers,
        block={"random": RANDOM_BLOCK_BYTES, "sequential": SEQUENTIAL_BYTES}.get(plan.pattern, 0),
        operations=int(sum(window["operations"] for window in windows)),
        bytes=size,
        seconds=sum(window["seconds"] for window in windows),
        missed=missed,
        unknown=doubt,
        rate=None if doubt else compute_spread([w["bytes"] / w["seconds"] for w in windows]),
        operations_per_second=(
            None if doubt else compute_spread([w["operations"] / w["seconds"] for w in windows])
        ),
    )


def build_cold_read(readings: list[DiskReading]) -> ColdRead | None:
    """What one reader got from storage, in the words of `check --data`."""
    cold = [r for r in readings if r.cache == "cold" and r.readers == 1 and r.rate]
    small = next((r for r in cold if r.pattern == "small files"), None)
    large = next((r for r in cold if r.pattern == "sequential"), None)
    if small is None and large is None:
        return None
    both = [r for r in (small, large) if r is not None]
    return ColdRead(
        files=small.operations if small else 1,
        bytes=sum(r.bytes for r in both),
        seconds=sum(r.seconds for r in both),
        open_seconds=0.0,
        cold=True,
        small_files=small.operations if small else 0,
        small_seconds=small.seconds if small else 0.0,
        large_bytes=large.bytes if large else 0,
        large_seconds=large.seconds if large else 0.0,
    )


def build_unknown_reading(plan: ReadingPlan, reason: str) -> DiskReading:
    """Say why this plan gave nothing."""
    return DiskReading(
        pattern=plan.pattern,
        cache="cold" if plan.cold else "warm",
        readers=plan.readers,
        unknown=reason,
    )
