"""What /proc lists: processes, and what their descriptors are, quickly."""

import os
from collections.abc import Iterator

from pipedoctor.collect.machine import Machine


def numbers(machine: Machine) -> list[str]:
    """The processes that can be seen, as /proc names them; none, without /proc."""
    try:
        names = os.listdir(machine.proc)  # noqa: PTH208  (thousands: no Path each)
    except OSError:
        return []
    return list(filter(str.isdecimal, names))


def descriptors(process: str) -> Iterator[tuple[str, str]]:
    """Number and target of what a process has open; nothing that we may not see."""
    try:
        names = os.listdir(f"{process}/fd")  # noqa: PTH208  (names suffice)
    except OSError:
        return
    for name in names:
        try:
            target = os.readlink(f"{process}/fd/{name}")  # noqa: PTH115  (quicker)
        except OSError:  # closed meanwhile
            continue
        yield name, target
