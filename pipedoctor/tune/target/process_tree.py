"""Descendants of a process: find them, adopt them, end them."""

import contextlib
import ctypes
import os
import signal
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.collect.processes import read_stat_fields

_PDEATHSIG, _SUBREAPER = 1, 36
_PPID, _PGRP = 1, 2


def die_with_parent() -> None:
    """Ask Linux to kill us when our parent is gone."""
    _prctl(_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Ask Linux to give us every descendant that loses its parent."""
    _prctl(_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def find_descendants(root: int) -> set[int]:
    """Processes below one, and those of its group; without the process itself."""
    parents: dict[int, tuple[int, int]] = {}
    with contextlib.suppress(OSError):
        for entry in os.listdir("/proc"):  # noqa: PTH208
            if entry.isdecimal():
                row = read_stat_fields(Path("/proc", entry))
                if row:
                    parents[int(entry)] = (int(row[_PPID]), int(row[_PGRP]))
    descendants: set[int] = set()
    new = {root}
    while new:
        descendants |= new
        new = {
            pid
            for pid, (parent, group) in parents.items()
            if pid not in descendants and (parent in descendants or group == root)
        }
    return descendants - {root}


def find_tree(root: int) -> set[int]:
    """
    A process and those below it, by what each says of its own children.

    Reads a few files where `find_descendants` reads the stat of every process there is;
    not every kernel has them.
    """
    if not Path(f"/proc/{root}/task/{root}/children").exists():
        return find_descendants(root) | {root}
    descendants: set[int] = set()
    new = {root}
    while new:
        descendants |= new
        new = {child for pid in new for child in _read_children(pid)} - descendants
    return descendants


def _read_children(pid: int) -> Iterator[int]:
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            file = Path(f"/proc/{pid}/task/{task}/children")
            yield from map(int, file.read_text().split())


def kill_tree(root: int, *, alive: bool = True) -> None:
    """End a process, unless it is gone, and all below it, until nothing is left."""
    for _ in range(5):
        below = find_descendants(root)
        for pid in (root, *below) if alive else below:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not below:
            return
