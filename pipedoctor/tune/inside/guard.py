"""Memory of a tree of processes against what they may use together."""

import contextlib
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from pipedoctor.tune.inside.rollup import rollup

_PAGE = os.sysconf("SC_PAGE_SIZE")
_SELDOM = 20
"""Exact counting may take this part of the time, no more."""
_AT_LEAST = 0.5
"""Seconds between two exact counts, unless much more memory is mapped."""
_ROOM = 0.75
"""A count ends as soon as it is certain that they use no more than this share."""


class Guard:
    """
    Asked ten times a second whether they use too much; that must cost nothing.

    What each process has mapped is cheap to ask, but pages that workers still share
    with their parent count for each of them. So before anybody is accused, every page
    is counted once, which takes seconds where there are many GiB. That is done again
    after a while, for workers write to pages of their parent, and as soon as so much
    more is mapped as was left.
    `most` is in bytes; 0: they may use all there is.
    """

    def __init__(self, most: int, pids: Callable[[], Iterable[int]]) -> None:
        self._most, self._pids = most, pids
        self._rest = 0.0
        self._enough = 0

    def over(self) -> int:
        """Bytes that are used where they are more than may be; else 0."""
        if not self._most:
            return 0
        mapped = sum(map(_mapped, self._pids()))
        began = time.monotonic()
        rests = began < self._rest and mapped < self._enough
        if mapped <= self._most or rests:
            return 0
        used = self._used()
        if used > self._most:  # workers that end leave their share to the others
            used = min(used, self._used())
        now = time.monotonic()
        self._rest = now + max(_AT_LEAST, _SELDOM * (now - began))
        self._enough = mapped + max(0, self._most - used)
        return used if used > self._most else 0

    def _used(self) -> int:
        """Every page once, wherever it is mapped; or what it is at most."""
        mapped = {pid: _mapped(pid) for pid in self._pids()}
        used = sum(mapped.values())
        for pid, size in mapped.items():
            if used <= _ROOM * self._most:
                break
            used += _own(pid, size) - size
        return used


def _mapped(pid: int) -> int:
    """Bytes of no file and not in shared memory; 0 where the process is gone."""
    with contextlib.suppress(OSError, ValueError):
        seen = Path(f"/proc/{pid}/statm").read_text().split()
        return max(0, int(seen[1]) - int(seen[2])) * _PAGE
    return 0


def _own(pid: int, mapped: int) -> int:
    """Of what it has mapped, shared pages by its part alone; where the kernel tells."""
    with contextlib.suppress(OSError, ValueError, KeyError, IndexError):
        rows = rollup(pid)
        # Old kernels tell only the sum with files and shared memory.
        return min(mapped, rows.get("Pss_Anon", rows["Pss"]))
    return mapped
