"""Read a few files of a data set past the page cache: bounded, and read-only."""

import os
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pipedoctor.collect.inuse import in_use
from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import legible
from pipedoctor.collect.pagecache import from_device, misses, opened
from pipedoctor.facts import ColdRead, Unreadable

MOST_BYTES = 64 << 20
MOST_FILES = 256
MOST_OF_ONE = 16 << 20
PATIENCE = 1.5
SMALL = 1 << 20
"""Files up to this size are read whole: they tell latency; larger ones bandwidth."""
_CHUNK = 1 << 20


@dataclass
class _Sums:
    files: int = 0
    bytes: int = 0
    seconds: float = 0.0
    open_seconds: float = 0.0
    small_files: int = 0
    small_seconds: float = 0.0
    large_bytes: int = 0
    large_seconds: float = 0.0
    missed: int = 0
    """Files whose first page was found to be out of the cache."""


def cold_read(
    machine: Machine, files: Sequence[tuple[Path, int]], announce: Announce
) -> ColdRead:
    """
    Drop the clean pages of a few files and time one reader that reads them again.

    Only regular files with one name that no process in sight has open or mapped.
    Raises `Unreadable` where nothing could be read.
    """
    if not hasattr(os, "posix_fadvise"):
        message = f"{machine.system} cannot drop a file from the page cache"
        raise Unreadable(message)
    chosen = _spread([(path, size) for path, size in files if size])
    announce("look for files in use")
    busy = in_use(machine, chosen)
    sums, before = _Sums(), from_device(machine)
    until = time.monotonic() + PATIENCE
    for path in chosen:
        if sums.bytes >= MOST_BYTES or time.monotonic() > until:
            break
        if path not in busy:
            with suppress(OSError):
                _read(path, sums, until, announce)
    if not sums.bytes:
        message = "no file to read: all are empty, in use, linked or not readable"
        raise Unreadable(message)
    return _facts(sums, before, from_device(machine))


def _spread(files: list[tuple[Path, int]]) -> list[Path]:
    """Every n-th file, so that neighbours on the disk do not flatter the result."""
    step = max(1, len(files) // MOST_FILES)
    return [path for path, _ in files[::step][:MOST_FILES]]


def _read(path: Path, sums: _Sums, until: float, announce: Announce) -> None:
    announce(f"open {legible(str(path))}")
    began = time.perf_counter()
    descriptor = opened(path)
    to_open = time.perf_counter() - began
    try:
        seen = os.fstat(descriptor)
        if not stat.S_ISREG(seen.st_mode) or seen.st_nlink > 1:
            return
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        announce(f"read {legible(str(path))}")
        began = time.perf_counter()
        sums.missed += bool(misses(descriptor))
        size = _drain(descriptor, min(MOST_OF_ONE, MOST_BYTES - sums.bytes), until)
        spent = time.perf_counter() - began
    finally:
        os.close(descriptor)
    sums.files, sums.bytes = sums.files + 1, sums.bytes + size
    sums.seconds, sums.open_seconds = sums.seconds + spent, sums.open_seconds + to_open
    if seen.st_size <= SMALL:
        sums.small_files += 1
        sums.small_seconds += to_open + spent
    else:
        sums.large_bytes += size
        sums.large_seconds += spent


def _drain(descriptor: int, most: int, until: float) -> int:
    """Read up to `most` bytes from the start; stop at the end or when time is up."""
    buffer = bytearray(_CHUNK)
    done = 0
    while done < most and (done == 0 or time.monotonic() < until):
        size = os.preadv(descriptor, [memoryview(buffer)[: most - done]], done)
        if not size:
            break
        done += size
    return done


def _facts(sums: _Sums, before: int | None, after: int | None) -> ColdRead:
    fetched = None if before is None or after is None else after - before
    return ColdRead(
        files=sums.files,
        bytes=sums.bytes,
        seconds=sums.seconds,
        open_seconds=sums.open_seconds,
        cold=2 * sums.missed > sums.files or 2 * (fetched or 0) > sums.bytes,
        from_device=fetched,
        small_files=sums.small_files,
        small_seconds=sums.small_seconds,
        large_bytes=sums.large_bytes,
        large_seconds=sums.large_seconds,
    )
