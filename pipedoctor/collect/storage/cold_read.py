"""Read a few files of a dataset past the page cache: bounded, and read-only."""

import os
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import escape_path
from pipedoctor.collect.storage.open_files import find_files_in_use
from pipedoctor.collect.storage.pagecache import is_uncached, open_noatime, read_device_bytes
from pipedoctor.facts import ColdRead, UnreadableError
from pipedoctor.runtime.lanes import Announce

MAX_BYTES = 64 << 20
MAX_FILES = 256
MAX_BYTES_PER_FILE = 16 << 20
READ_TIMEOUT = 1.5
SMALL_FILE_BYTES = 1 << 20
"""Files up to this size are read whole: they tell latency; larger ones bandwidth."""
_CHUNK_BYTES = 1 << 20


@dataclass
class _ReadTotals:
    files: int = 0
    bytes: int = 0
    seconds: float = 0.0
    open_seconds: float = 0.0
    small_files: int = 0
    small_seconds: float = 0.0
    large_bytes: int = 0
    large_seconds: float = 0.0
    uncached_files: int = 0
    """Files whose first page was found to be out of the cache."""


def cold_read(machine: Machine, files: Sequence[tuple[Path, int]], announce: Announce) -> ColdRead:
    """
    Drop the clean pages of a few files and time one reader that reads them again.

    Only regular files with one name that no process in sight has open or mapped.
    Raises `UnreadableError` where nothing could be read.
    """
    if not hasattr(os, "posix_fadvise"):
        message = f"{machine.system} cannot drop a file from the page cache"
        raise UnreadableError(message)
    chosen = _sample_evenly([(path, size) for path, size in files if size])
    announce("look for files in use")
    busy = find_files_in_use(machine, chosen)
    sums, before = _ReadTotals(), read_device_bytes(machine)
    until = time.monotonic() + READ_TIMEOUT
    for path in chosen:
        if sums.bytes >= MAX_BYTES or time.monotonic() > until:
            break
        if path not in busy:
            with suppress(OSError):
                _time_file(path, sums, until, announce)
    if not sums.bytes:
        message = "no file to read: all are empty, in use, links or unreadable"
        raise UnreadableError(message)
    return _build_fact(sums, before, read_device_bytes(machine))


def _sample_evenly(files: list[tuple[Path, int]]) -> list[Path]:
    """Every n-th file, so that neighbours on the disk do not flatter the result."""
    step = max(1, len(files) // MAX_FILES)
    return [path for path, _ in files[::step][:MAX_FILES]]


def _time_file(path: Path, sums: _ReadTotals, until: float, announce: Announce) -> None:
    announce(f"open {escape_path(str(path))}")
    began = time.perf_counter()
    descriptor = open_noatime(path)
    to_open = time.perf_counter() - began
    try:
        seen = os.fstat(descriptor)
        if not stat.S_ISREG(seen.st_mode) or seen.st_nlink > 1:
            return
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        announce(f"read {escape_path(str(path))}")
        began = time.perf_counter()
        sums.uncached_files += bool(is_uncached(descriptor))
        size = _read_bytes(descriptor, min(MAX_BYTES_PER_FILE, MAX_BYTES - sums.bytes), until)
        spent = time.perf_counter() - began
    finally:
        os.close(descriptor)
    sums.files, sums.bytes = sums.files + 1, sums.bytes + size
    sums.seconds, sums.open_seconds = sums.seconds + spent, sums.open_seconds + to_open
    if seen.st_size <= SMALL_FILE_BYTES:
        sums.small_files += 1
        sums.small_seconds += to_open + spent
    else:
        sums.large_bytes += size
        sums.large_seconds += spent


def _read_bytes(descriptor: int, max_bytes: int, until: float) -> int:
    """Read up to `most` bytes from the start; stop at the end or when time is up."""
    buffer = bytearray(_CHUNK_BYTES)
    done = 0
    while done < max_bytes and (done == 0 or time.monotonic() < until):
        size = os.preadv(descriptor, [memoryview(buffer)[: max_bytes - done]], done)
        if not size:
            break
        done += size
    return done


def _build_fact(sums: _ReadTotals, before: int | None, after: int | None) -> ColdRead:
    fetched = None if before is None or after is None else after - before
    return ColdRead(
        files=sums.files,
        bytes=sums.bytes,
        seconds=sums.seconds,
        open_seconds=sums.open_seconds,
        cold=2 * sums.uncached_files > sums.files or 2 * (fetched or 0) > sums.bytes,
        from_device=fetched,
        small_files=sums.small_files,
        small_seconds=sums.small_seconds,
        large_bytes=sums.large_bytes,
        large_seconds=sums.large_seconds,
    )
