"""Count inotify instances and watches, for the kernel tells nobody its sums."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pipedoctor.collect.processes import descriptors

PATIENCE = 0.05
"""Seconds that the count may take; beyond, the answer is not known."""

_KIND = "anon_inode:inotify"


@dataclass(frozen=True, kw_only=True)
class Use:
    """What some processes hold."""

    instances: int
    watches: int


def use(processes: Iterable[str], *, patience: float = PATIENCE) -> Use | None:
    """Sum over these directories of /proc; None when time ran out."""
    until = time.monotonic() + patience
    instances = watches = 0
    for process in processes:
        if time.monotonic() > until:
            return None
        for descriptor in _instances(process):
            instances += 1
            watches += _watches(f"{process}/fdinfo/{descriptor}")
    return Use(instances=instances, watches=watches)


def _instances(process: str) -> Iterator[str]:
    """Descriptors of a process that are inotify instances; none that we may see."""
    return (name for name, kind in descriptors(process) if kind == _KIND)


def _watches(file: str) -> int:
    try:
        with open(file, "rb") as info:  # noqa: PTH123  (quicker)
            return sum(line.startswith(b"inotify ") for line in info)
    except OSError:
        return 0
