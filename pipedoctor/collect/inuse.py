"""Files that some process has open or mapped: those of a running job stay alone."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from pipedoctor.collect.machine import Machine

PATIENCE = 0.5


def in_use(machine: Machine, files: Sequence[Path]) -> set[Path]:
    """
    Those of the files that a process in sight holds; all, when the time runs out.

    Links of /proc are read, never followed: nothing here touches a file system that
    may hang. Processes of other users are out of sight.
    """
    until = time.monotonic() + PATIENCE
    top = machine.inside("/")
    wanted = {b"/" + os.fsencode(path.relative_to(top)): path for path in files}
    found: set[Path] = set()
    for process in _processes(machine):
        if time.monotonic() > until:
            return set(files)
        for name in _held(process):
            if name in wanted:
                found.add(wanted[name])
    return found


def _processes(machine: Machine) -> Iterator[Path]:
    for entry in machine.proc.iterdir():
        if entry.name.isdecimal():
            yield entry


def _held(process: Path) -> Iterator[bytes]:
    """Names of what a process has open or mapped, as the kernel writes them."""
    with suppress(OSError):
        for link in (process / "fd").iterdir():
            with suppress(OSError):
                yield os.fsencode(link.readlink())
    with suppress(OSError):
        for line in (process / "maps").read_bytes().splitlines():
            yield b"/" + line.partition(b"/")[2]
