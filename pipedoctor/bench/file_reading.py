"""Read pieces of files for a while and count: runs in a lane, for any read may hang."""

import os
import stat
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.storage.pagecache import is_uncached, open_noatime, read_device_bytes
from pipedoctor.runtime.probe import Announce

_BUFFER_BYTES = 1 << 20
_MAX_SHOWN_PATH = 80
_POLL_SECONDS = 0.25


class ReadJob(NamedTuple):
    """A piece to read; `size` 0: open the file, read it whole, close it."""

    path: bytes
    offset: int = 0
    size: int = 0


class ReadOptions(NamedTuple):
    """How to read: so many threads, in so many windows, for so many seconds."""

    readers: int = 1
    windows: int = 5
    seconds: float = 2.0
    scattered: bool = False
    """Tell the kernel that nothing is to be read ahead."""
    max_bytes: int = 256 << 20
    """Bytes of all windows together."""


def drop_cached_pages(paths: Sequence[bytes], announce: Announce) -> list[bytes]:
    """
    Take the clean pages of these files out of the page cache; those that worked.

    Only regular files with one name: what others hold under another name is theirs.
    """
    dropped: list[bytes] = []
    for path in paths:
        announce(f"open {os.fsdecode(path)[-_MAX_SHOWN_PATH:]}")
        with suppress(OSError):
            descriptor = open_noatime(path)
            try:
                seen = os.fstat(descriptor)
                if stat.S_ISREG(seen.st_mode) and seen.st_nlink == 1:
                    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
                    dropped.append(path)
            finally:
                os.close(descriptor)
    return dropped


def read_warm(
    machine: Machine, jobs: Sequence[ReadJob], options: ReadOptions, announce: Announce
) -> dict[str, Any]:
    """Read as many of the jobs as half of the time allows, then the same again."""
    half = options._replace(seconds=options.seconds / 2)
    first = read_jobs(machine, jobs, half._replace(windows=1), announce)
    done = int(sum(window["operations"] for window in first["windows"]))
    return read_jobs(machine, jobs[:done], half, announce)


def read_jobs(
    machine: Machine, jobs: Sequence[ReadJob], options: ReadOptions, announce: Announce
) -> dict[str, Any]:
    """
    Work through the jobs, each once, until they or the time end.

    Per window: operations, bytes, seconds. `cache_misses` is the share of pieces that were
    not in the page cache, None where that cannot be asked.
    """
    before = read_device_bytes(machine)
    crew = _ReaderPool(jobs, options, announce)
    windows: list[dict[str, float]] = []
    while len(windows) < options.windows:
        done = crew.run_window(options.seconds / options.windows)
        if done is None:
            break
        windows.append(done)
    crew.close()
    after = read_device_bytes(machine)
    return {
        "windows": windows,
        "missed": crew.cache_misses / crew.cache_checks if crew.cache_checks else None,
        "device": None if before is None or after is None else after - before,
        "errors": crew.errors,
    }


class _ReaderPool:
    """Threads that take jobs from one list; reading lets the others run."""

    def __init__(self, jobs: Sequence[ReadJob], options: ReadOptions, announce: Announce) -> None:
        self._jobs = iter(jobs)
        self._share = max(1, len(jobs) // options.windows)
        self._options = options
        self._announce = announce
        self._lock = threading.Lock()
        self._files: list[dict[bytes, int]] = [{} for _ in range(options.readers)]
        self.cache_checks = self.cache_misses = self.errors = 0
        self._operations = self._bytes = self._total = self._jobs_taken = 0
        self._limit = options.max_bytes // options.windows
        self._current_jobs: dict[int, ReadJob] = {}
        self._is_exhausted = False

    def run_window(self, seconds: float) -> dict[str, float] | None:
        """Read for so long, or its share of the jobs; None when nothing was left."""
        self._operations = self._bytes = self._jobs_taken = 0
        if self._is_exhausted:
            return None
        began = time.perf_counter()
        until = began + seconds
        threads = [
            threading.Thread(target=self._run_jobs, args=(number, until))
            for number in range(self._options.readers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            self._join_thread(thread)
        spent = time.perf_counter() - began
        if not self._operations:
            return None
        return {
            "operations": self._operations,
            "bytes": self._bytes,
            "seconds": spent,
        }

    def _join_thread(self, thread: threading.Thread) -> None:
        """Until it ends; a piece that takes long is announced, for it may hang."""
        seen: dict[int, ReadJob] = {}
        while thread.is_alive():
            thread.join(_POLL_SECONDS)
            stuck = [job for at, job in self._current_jobs.items() if seen.get(at) is job]
            if stuck:
                self._announce(f"read {os.fsdecode(stuck[0].path)[-_MAX_SHOWN_PATH:]}")
            seen = dict(self._current_jobs)

    def close(self) -> None:
        """Close what the threads have opened."""
        for files in self._files:
            for descriptor in files.values():
                os.close(descriptor)

    def _run_jobs(self, number: int, until: float) -> None:
        buffer = memoryview(bytearray(_BUFFER_BYTES))
        for job in self._take_jobs(until):
            self._current_jobs[number] = job
            try:
                self._read_job(job, self._files[number], buffer)
            except OSError:
                with self._lock:
                    self.errors += 1
        self._current_jobs.pop(number, None)

    def _take_jobs(self, until: float) -> Iterator[ReadJob]:
        """Jobs until the window ends; at least one for each thread."""
        first = True
        while first or time.perf_counter() < until:
            first = False
            with self._lock:
                if self._jobs_taken >= self._share or self._bytes >= self._limit:
                    return
                full = self._total >= self._options.max_bytes
                job = None if full else next(self._jobs, None)
                if job is None:
                    self._is_exhausted = True
                    return
                self._jobs_taken += 1
            yield job

    def _read_job(self, job: ReadJob, files: dict[bytes, int], buffer: memoryview) -> None:
        if job.size:
            descriptor = files.get(job.path)
            if descriptor is None:
                descriptor = files[job.path] = open_noatime(job.path)
                if self._options.scattered:
                    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
            self._add_counts(*_read_piece(descriptor, job.offset, job.size, buffer))
            return
        descriptor = open_noatime(job.path)
        try:
            size = os.fstat(descriptor).st_size
            self._add_counts(*_read_piece(descriptor, 0, size, buffer))
        finally:
            os.close(descriptor)

    def _add_counts(self, missed: bool | None, position: int) -> None:
        with self._lock:
            if missed is not None:
                self.cache_checks += 1
                self.cache_misses += missed
            self._operations += 1
            self._bytes += position
            self._total += position


def _read_piece(
    descriptor: int, offset: int, size: int, buffer: memoryview
) -> tuple[bool | None, int]:
    """Was its first byte missing from the cache, and how many bytes came."""
    missed = is_uncached(descriptor, offset)
    done = 0
    while done < size:
        took = os.preadv(descriptor, [buffer[: size - done]], offset + done)
        if not took:
            break
        done += took
    return missed, done
