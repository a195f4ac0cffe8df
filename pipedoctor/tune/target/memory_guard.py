"""Memory of a tree of processes against what they may use together."""

import contextlib
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from pipedoctor.tune.target.smaps_rollup import read_rollup

_PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")
_INTERVAL_FACTOR = 20
"""Exact counting may take this part of the time, no more."""
_MIN_INTERVAL = 0.5
"""Seconds between two exact counts, unless much more memory is mapped."""
_SAFE_SHARE = 0.75
"""A count ends as soon as it is certain that they use no more than this share."""


class MemoryGuard:
    """
    Asked ten times a second whether processes use too much memory, at almost no cost.

    What each process has mapped is cheap to ask, but pages that workers still share
    with their parent count for each of them. So before anybody is accused, every page
    is counted once, which takes seconds where there are many GiB. That is done again
    after a while, for workers write to pages of their parent, and as soon as so much
    more is mapped as was left.
    `most` is in bytes; 0: they may use all there is.
    """

    def __init__(self, max_bytes: int, pids: Callable[[], Iterable[int]]) -> None:
        self._max_bytes, self._pids = max_bytes, pids
        self._next_count_time = 0.0
        self._mapped_limit = 0

    def measure_excess(self) -> int:
        """Bytes that are used where they are more than may be; else 0."""
        if not self._max_bytes:
            return 0
        mapped = sum(map(_read_mapped, self._pids()))
        began = time.monotonic()
        rests = began < self._next_count_time and mapped < self._mapped_limit
        if mapped <= self._max_bytes or rests:
            return 0
        used = self._count_used()
        if used > self._max_bytes:  # workers that end leave their share to the others
            used = min(used, self._count_used())
        now = time.monotonic()
        self._next_count_time = now + max(_MIN_INTERVAL, _INTERVAL_FACTOR * (now - began))
        self._mapped_limit = mapped + max(0, self._max_bytes - used)
        return used if used > self._max_bytes else 0

    def _count_used(self) -> int:
        """Every page once, wherever it is mapped; or what it is at most."""
        mapped = {pid: _read_mapped(pid) for pid in self._pids()}
        used = sum(mapped.values())
        for pid, size in mapped.items():
            if used <= _SAFE_SHARE * self._max_bytes:
                break
            used += _read_own_share(pid, size) - size
        return used


def _read_mapped(pid: int) -> int:
    """Bytes of no file and not in shared memory; 0 where the process is gone."""
    with contextlib.suppress(OSError, ValueError):
        seen = Path(f"/proc/{pid}/statm").read_text().split()
        return max(0, int(seen[1]) - int(seen[2])) * _PAGE_SIZE
    return 0


def _read_own_share(pid: int, mapped_bytes: int) -> int:
    """Of what it has mapped, shared pages by its part alone; where the kernel tells."""
    with contextlib.suppress(OSError, ValueError, KeyError, IndexError):
        rows = read_rollup(pid)
        # Old kernels tell only the sum with files and shared memory.
        return min(mapped_bytes, rows.get("Pss_Anon", rows["Pss"]))
    return mapped_bytes
