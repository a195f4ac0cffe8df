"""Files that some process has open or mapped: those of a running job stay alone."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.processes import descriptors, numbers

PATIENCE = 0.5


def in_use(machine: Machine, files: Sequence[Path]) -> set[Path]:
    """
    Those of the files that a process in sight holds; all, where nobody can say.

    Nobody can where no process is in sight, or the time runs out. Links of /proc are
    read, never followed: nothing here touches a file system that may hang. Processes
    of other users are out of sight.
    """
    until = time.monotonic() + PATIENCE
    top = machine.inside("/")
    wanted = {b"/" + os.fsencode(path.relative_to(top)): path for path in files}
    processes = numbers(machine)
    found: set[Path] = set()
    for process in processes:
        if time.monotonic() > until:
            return set(files)
        held = _held(machine.proc / process)
        found.update(wanted[name] for name in held if name in wanted)
    return found if processes else set(files)


def _held(process: Path) -> Iterator[bytes]:
    """Names of what a process has open or mapped, as the kernel writes them."""
    for _, target in descriptors(str(process)):
        yield os.fsencode(target)
    with suppress(OSError):
        for line in (process / "maps").read_bytes().splitlines():
            yield b"/" + line.partition(b"/")[2]
