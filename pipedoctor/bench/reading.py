"""Read pieces of files for a while and count: runs in a lane, for any read may hang."""

import os
import stat
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.pagecache import from_device, misses, opened
from pipedoctor.collect.probe import Announce

_CHUNK = 1 << 20
_SHOWN = 80
_TICK = 0.25


class Job(NamedTuple):
    """A piece to read; `size` 0: open the file, read it whole, close it."""

    path: bytes
    offset: int = 0
    size: int = 0


class Way(NamedTuple):
    """How to read: so many threads, in so many windows, for so many seconds."""

    readers: int = 1
    windows: int = 5
    seconds: float = 2.0
    scattered: bool = False
    """Tell the kernel that nothing is to be read ahead."""
    most: int = 256 << 20
    """Bytes of all windows together."""


def drop(paths: Sequence[bytes], announce: Announce) -> list[bytes]:
    """
    Take the clean pages of these files out of the page cache; those that worked.

    Only regular files with one name: what others hold under another name is theirs.
    """
    dropped: list[bytes] = []
    for path in paths:
        announce(f"open {os.fsdecode(path)[-_SHOWN:]}")
        with suppress(OSError):
            descriptor = opened(path)
            try:
                seen = os.fstat(descriptor)
                if stat.S_ISREG(seen.st_mode) and seen.st_nlink == 1:
                    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
                    dropped.append(path)
            finally:
                os.close(descriptor)
    return dropped


def warmed(
    machine: Machine, jobs: Sequence[Job], way: Way, announce: Announce
) -> dict[str, Any]:
    """Read as many of the jobs as half of the time allows, then the same again."""
    half = way._replace(seconds=way.seconds / 2)
    first = read(machine, jobs, half._replace(windows=1), announce)
    done = int(sum(window["operations"] for window in first["windows"]))
    return read(machine, jobs[:done], half, announce)


def read(
    machine: Machine, jobs: Sequence[Job], way: Way, announce: Announce
) -> dict[str, Any]:
    """
    Work through the jobs, each once, until they or the time end.

    Per window: operations, bytes, seconds. `missed` is the share of pieces that were
    not in the page cache, None where that cannot be asked.
    """
    before = from_device(machine)
    crew = _Crew(jobs, way, announce)
    windows: list[dict[str, float]] = []
    while len(windows) < way.windows:
        done = crew.window(way.seconds / way.windows)
        if done is None:
            break
        windows.append(done)
    crew.close()
    after = from_device(machine)
    return {
        "windows": windows,
        "missed": crew.missed / crew.asked if crew.asked else None,
        "device": None if before is None or after is None else after - before,
        "errors": crew.errors,
    }


class _Crew:
    """Threads that take jobs from one list; reading lets the others run."""

    def __init__(self, jobs: Sequence[Job], way: Way, announce: Announce) -> None:
        self._jobs = iter(jobs)
        self._share = max(1, len(jobs) // way.windows)
        self._way = way
        self._announce = announce
        self._lock = threading.Lock()
        self._files: list[dict[bytes, int]] = [{} for _ in range(way.readers)]
        self.asked = self.missed = self.errors = 0
        self._operations = self._bytes = self._total = self._handed = 0
        self._limit = way.most // way.windows
        self._doing: dict[int, Job] = {}
        self._ended = False

    def window(self, seconds: float) -> dict[str, float] | None:
        """Read for so long, or its share of the jobs; None when nothing was left."""
        self._operations = self._bytes = self._handed = 0
        if self._ended:
            return None
        began = time.perf_counter()
        until = began + seconds
        threads = [
            threading.Thread(target=self._work, args=(number, until))
            for number in range(self._way.readers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            self._wait(thread)
        spent = time.perf_counter() - began
        if not self._operations:
            return None
        return {
            "operations": self._operations,
            "bytes": self._bytes,
            "seconds": spent,
        }

    def _wait(self, thread: threading.Thread) -> None:
        """Until it ends; a piece that takes long is announced, for it may hang."""
        seen: dict[int, Job] = {}
        while thread.is_alive():
            thread.join(_TICK)
            stuck = [job for at, job in self._doing.items() if seen.get(at) is job]
            if stuck:
                self._announce(f"read {os.fsdecode(stuck[0].path)[-_SHOWN:]}")
            seen = dict(self._doing)

    def close(self) -> None:
        """Close what the threads have opened."""
        for files in self._files:
            for descriptor in files.values():
                os.close(descriptor)

    def _work(self, number: int, until: float) -> None:
        buffer = memoryview(bytearray(_CHUNK))
        for job in self._take(until):
            self._doing[number] = job
            try:
                self._one(job, self._files[number], buffer)
            except OSError:
                with self._lock:
                    self.errors += 1
        self._doing.pop(number, None)

    def _take(self, until: float) -> Iterator[Job]:
        """Jobs until the window ends; at least one for each thread."""
        first = True
        while first or time.perf_counter() < until:
            first = False
            with self._lock:
                if self._handed >= self._share or self._bytes >= self._limit:
                    return
                full = self._total >= self._way.most
                job = None if full else next(self._jobs, None)
                if job is None:
                    self._ended = True
                    return
                self._handed += 1
            yield job

    def _one(self, job: Job, files: dict[bytes, int], buffer: memoryview) -> None:
        if job.size:
            descriptor = files.get(job.path)
            if descriptor is None:
                descriptor = files[job.path] = opened(job.path)
                if self._way.scattered:
                    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
            self._count(*_piece(descriptor, job.offset, job.size, buffer))
            return
        descriptor = opened(job.path)
        try:
            size = os.fstat(descriptor).st_size
            self._count(*_piece(descriptor, 0, size, buffer))
        finally:
            os.close(descriptor)

    def _count(self, missed: bool | None, done: int) -> None:
        with self._lock:
            if missed is not None:
                self.asked += 1
                self.missed += missed
            self._operations += 1
            self._bytes += done
            self._total += done


def _piece(
    descriptor: int, offset: int, size: int, buffer: memoryview
) -> tuple[bool | None, int]:
    """Was its first byte missing from the cache, and how many bytes came."""
    missed = misses(descriptor, offset)
    done = 0
    while done < size:
        took = os.preadv(descriptor, [buffer[: size - done]], offset + done)
        if not took:
            break
        done += took
    return missed, done
