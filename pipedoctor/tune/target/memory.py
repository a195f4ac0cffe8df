"""Memory of workers and descriptors of this process, by the kernel's own books."""

import contextlib
import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import psutil
from msgspec.structs import replace

from pipedoctor.facts import Growth
from pipedoctor.tune.target.smaps_rollup import read_rollup


class ProcessMemory(NamedTuple):
    """Bytes of a process, without what it has in /dev/shm."""

    private: int
    """Nobody else has these pages."""
    anonymous: int
    """Pages of no file: its own, and those that it still shares with its parent."""

    @property
    def shared(self) -> int:
        """Pages of its parent that become its own as soon as it writes to them."""
        return max(0, self.anonymous - self.private)


def read_process_memory(pids: Iterable[int]) -> list[ProcessMemory]:
    """Sizes of those processes that can be read."""
    sizes: list[ProcessMemory] = []
    for pid in pids:
        with contextlib.suppress(OSError, KeyError, ValueError):
            sizes.append(_read_one(pid))
    return sizes


def read_private_bytes(pids: Iterable[int]) -> list[int]:
    """Private bytes of each process; of those that are gone, nothing."""
    sizes: list[int] = []
    for pid in pids:
        readings = read_process_memory([pid])
        if readings:
            sizes.append(readings[0].private)
            continue
        with contextlib.suppress(psutil.Error):
            sizes.append(psutil.Process(pid).memory_full_info().uss)
    return sizes


def measure_growth(
    before: list[ProcessMemory], after: list[ProcessMemory], batches: float
) -> Growth | None:
    """
    What each of so many batches has added, in the mean of all workers.

    None where nothing was seen.
    """
    if not before or len(before) != len(after) or batches <= 0:
        return None
    pairs = list(zip(before, after, strict=True))
    new = sum(b.anonymous - a.anonymous for a, b in pairs)
    grown = sum(b.private - a.private for a, b in pairs)
    return Growth(
        new=max(0.0, new / batches),
        copied=max(0.0, (grown - new) / batches),
        shared=sum(size.shared for size in after) // len(after),
        made=batches,
    )


class WorkerMemorySample:
    """How large workers were, and how many batches they had made: none yet."""

    def __init__(self) -> None:
        self._sizes: list[ProcessMemory] = []
        self._batches = 0.0

    def take(self, pids: Sequence[int], batches: float) -> None:
        """See how large the workers are by now."""
        self._sizes, self._batches = read_process_memory(pids), batches

    def summarize(
        self, pids: Sequence[int], batches: float
    ) -> tuple[tuple[int, ...], Growth | None]:
        """Private bytes of each worker, the mean of now and before; how they grew."""
        now = read_process_memory(pids)
        own = [size.private for size in now]
        if len(now) < len(pids):  # the kernel does not tell it all
            own = read_private_bytes(pids)
        if len(own) == len(self._sizes):
            pairs = zip(own, self._sizes, strict=True)
            own = [(size + before.private) // 2 for size, before in pairs]
        grown = measure_growth(self._sizes, now, batches - self._batches)
        each = (batches + self._batches) / 2 / max(1, len(pids))
        return tuple(own), replace(grown, made=each) if grown else None


def _read_one(pid: int) -> ProcessMemory:
    rows = read_rollup(pid)
    own = rows["Private_Clean"] + rows["Private_Dirty"] - rows.get("Pss_Shmem", 0)
    return ProcessMemory(private=max(0, own), anonymous=rows["Anonymous"])


def count_descriptors() -> int:
    """Open ones of this process; 0 where the kernel does not tell."""
    try:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    except OSError:
        return 0
