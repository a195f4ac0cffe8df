"""Files that some process has open or mapped: those of a running job stay alone."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from pipedoctor.collect.machine import MAX_TEXT_BYTES, Machine
from pipedoctor.collect.processes import list_descriptors, list_pids
from pipedoctor.runtime.regular_file import read_start

SEARCH_TIMEOUT = 0.5


def find_files_in_use(machine: Machine, files: Sequence[Path]) -> set[Path]:
    """
    Return those of the files that a visible process holds; all where unknown.

    Nobody can where no process is in sight, or the time runs out. Links of /proc are
    read, never followed: nothing here touches a file system that may hang. Processes
    of other users are out of sight.
    """
    until = time.monotonic() + SEARCH_TIMEOUT
    top = machine.map_path("/")
    wanted = {b"/" + os.fsencode(path.relative_to(top)): path for path in files}
    processes = list_pids(machine)
    found: set[Path] = set()
    for process in processes:
        if time.monotonic() > until:
            return set(files)
        held = _list_held_files(machine.proc / process)
        found.update(wanted[name] for name in held if name in wanted)
    return found if processes else set(files)


def _list_held_files(process: Path) -> Iterator[bytes]:
    """Names of what a process has open or mapped, as the kernel writes them."""
    for _, target in list_descriptors(str(process)):
        yield os.fsencode(target)
    with suppress(OSError):
        for line in read_start(process / "maps", MAX_TEXT_BYTES).splitlines():
            yield b"/" + line.partition(b"/")[2]
