"""Memory of workers, by the kernel's own books."""

import contextlib
from collections.abc import Iterable
from typing import NamedTuple

import psutil

from pipedoctor.tune.inside.rollup import rollup


class Size(NamedTuple):
    """Bytes of a process, without what it has in /dev/shm."""

    private: int
    """Nobody else has these pages."""
    anonymous: int
    """Pages of no file: its own, and those that it still shares with its parent."""

    @property
    def shared(self) -> int:
        """Pages of its parent that become its own as soon as it writes to them."""
        return max(0, self.anonymous - self.private)


def sizes(pids: Iterable[int]) -> list[Size]:
    """Sizes of those processes that can be read."""
    found: list[Size] = []
    for pid in pids:
        with contextlib.suppress(OSError, KeyError, ValueError):
            found.append(_size(pid))
    return found


def private(pids: Iterable[int]) -> list[int]:
    """Private bytes of each process; of those that are gone, nothing."""
    found: list[int] = []
    for pid in pids:
        known = sizes([pid])
        if known:
            found.append(known[0].private)
            continue
        with contextlib.suppress(psutil.Error):
            found.append(psutil.Process(pid).memory_full_info().uss)
    return found


def growth(before: list[Size], after: list[Size], batches: float) -> list[float] | None:
    """
    What a batch has added: new bytes, copied ones; and bytes that may yet be copied.

    The mean of all workers; None where nothing was seen.
    """
    if not before or len(before) != len(after) or batches <= 0:
        return None
    pairs = list(zip(before, after, strict=True))
    new = sum(b.anonymous - a.anonymous for a, b in pairs)
    grown = sum(b.private - a.private for a, b in pairs)
    return [
        max(0.0, new / batches),
        max(0.0, (grown - new) / batches),
        sum(size.shared for size in after) / len(after),
    ]


def _size(pid: int) -> Size:
    rows = rollup(pid)
    own = rows["Private_Clean"] + rows["Private_Dirty"] - rows.get("Pss_Shmem", 0)
    return Size(private=max(0, own), anonymous=rows["Anonymous"])
