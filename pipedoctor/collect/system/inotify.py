"""Count inotify instances and watches, for the kernel tells nobody its sums."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pipedoctor.collect.machine import MAX_TEXT_BYTES
from pipedoctor.collect.processes import list_descriptors
from pipedoctor.runtime.regular_file import read_start

COUNT_TIMEOUT = 0.05
"""Seconds that the count may take; beyond, the answer is not known."""

_INOTIFY_TARGET = "anon_inode:inotify"


@dataclass(frozen=True, kw_only=True)
class InotifyUse:
    """The inotify instances and watches that some processes hold."""

    instances: int
    watches: int


def count_inotify_use(
    processes: Iterable[str], *, timeout: float = COUNT_TIMEOUT
) -> InotifyUse | None:
    """Sum over these directories of /proc; None when time ran out."""
    until = time.monotonic() + timeout
    instances = watches = 0
    for process in processes:
        if time.monotonic() > until:
            return None
        for descriptor in _list_instances(process):
            instances += 1
            watches += _count_watches(f"{process}/fdinfo/{descriptor}")
    return InotifyUse(instances=instances, watches=watches)


def _list_instances(process: str) -> Iterator[str]:
    """Descriptors of a process that are inotify instances; none that we may see."""
    return (name for name, kind in list_descriptors(process) if kind == _INOTIFY_TARGET)


def _count_watches(file: str) -> int:
    try:
        info = read_start(file, MAX_TEXT_BYTES)
    except OSError:
        return 0
    return info.count(b"\ninotify ") + info.startswith(b"inotify ")
