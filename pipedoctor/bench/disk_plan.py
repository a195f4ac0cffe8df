"""The readings that `bench disk` makes, and how their counts become facts."""

import random
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pipedoctor.bench.interval import spread
from pipedoctor.bench.reading import Job
from pipedoctor.facts import ColdRead
from pipedoctor.facts.bench_disk import DiskReading, Pattern
from pipedoctor.units import MiB

SMALL = MiB
"""Files up to this size are read whole, as loaders of single images do."""
BLOCK = 128 << 10
"""Bytes of a random read: a picture, or a record of a shard."""
PIECE = MiB
MANY = 8
"""Readers at once: as many workers as a GPU often gets."""
MOST_FILES = 4000
MOST_LARGE = 64
MOST_BLOCKS = 20_000
COLD = 0.5
"""Share that must have come from storage for a reading to be cold."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """One reading to make."""

    pattern: Pattern
    cold: bool
    readers: int


PLANS = (
    Plan(pattern="small files", cold=True, readers=1),
    Plan(pattern="small files", cold=True, readers=MANY),
    Plan(pattern="small files", cold=False, readers=1),
    Plan(pattern="sequential", cold=True, readers=1),
    Plan(pattern="sequential", cold=False, readers=1),
    Plan(pattern="random", cold=True, readers=1),
    Plan(pattern="random", cold=True, readers=MANY),
    Plan(pattern="random", cold=False, readers=1),
)


@dataclass
class Files:
    """What is there to read; names as bytes, for they may be no text."""

    small: list[bytes] = field(default_factory=list[bytes])
    large: list[tuple[bytes, int]] = field(default_factory=list[tuple[bytes, int]])


def jobs_of(plan: Plan, files: Files) -> list[Job]:
    """What this plan reads, in its order; the warm one what the cold one did."""
    dice = random.Random(plan.readers)  # noqa: S311  (no secret)
    if plan.pattern == "small files":
        # Every plan with so many readers reads files of its own half.
        chosen = files.small[plan.readers > 1 :: 2] or files.small
        return [Job(path) for path in dice.sample(chosen, len(chosen))]
    if plan.pattern == "sequential":
        return [
            Job(path, at, min(PIECE, size - at))
            for path, size in files.large
            for at in range(0, min(size, 512 * MiB), PIECE)
        ]
    blocks = [
        Job(path, at, BLOCK)
        for path, size in files.large
        for at in range(0, min(size, 1024 * MiB) - BLOCK, BLOCK)
    ]
    half = blocks[plan.readers > 1 :: 2] or blocks
    return dice.sample(half, min(len(half), MOST_BLOCKS))


MISSING = {
    "small files": "there is no file of at most 1 MiB",
    "sequential": "there is no file above 1 MiB",
    "random": "there is no file above 1 MiB",
}


def made(plan: Plan, said: dict[str, Any]) -> DiskReading:
    """Windows and counts as a fact; a cold one that was not cold has no rate."""
    windows = said["windows"]
    size = int(sum(window["bytes"] for window in windows))
    missed = said["missed"]
    device = said["device"]
    if device and size:
        # Where the kernel reads ahead, the next piece is there before it is asked for.
        missed = max(missed or 0.0, min(1.0, device / size))
    doubt = ""
    if plan.cold and missed is None:
        doubt = "nobody can say here whether it came from a cache"
    elif plan.cold and missed < COLD:
        doubt = "the page cache could not be passed over"
    return DiskReading(
        pattern=plan.pattern,
        cache="cold" if plan.cold else "warm",
        readers=plan.readers,
        block={"random": BLOCK, "sequential": PIECE}.get(plan.pattern, 0),
        operations=int(sum(window["operations"] for window in windows)),
        bytes=size,
        seconds=sum(window["seconds"] for window in windows),
        missed=missed,
        unknown=doubt,
        rate=None if doubt else spread([w["bytes"] / w["seconds"] for w in windows]),
        operations_per_second=(
            None if doubt else spread([w["operations"] / w["seconds"] for w in windows])
        ),
    )


def as_cold_read(readings: list[DiskReading]) -> ColdRead | None:
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


def unknown(plan: Plan, reason: str) -> DiskReading:
    """Say why this plan gave nothing."""
    return DiskReading(
        pattern=plan.pattern,
        cache="cold" if plan.cold else "warm",
        readers=plan.readers,
        unknown=reason,
    )


def some(names: list[bytes], most: int) -> list[bytes]:
    """Every n-th, so that neighbours on the disk do not speak for all."""
    step = max(1, len(names) // most)
    return names[::step][:most]
