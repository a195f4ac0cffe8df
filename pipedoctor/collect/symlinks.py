"""Follow symbolic links as the examined process would, one announced call at a time."""

import stat
from collections import deque

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import escape_path
from pipedoctor.runtime.lanes import Announce
from pipedoctor.runtime.trusted_path import split_path

MAX_LINKS = 40
"""As many as Linux follows before it says ELOOP (path_resolution(7))."""


def resolve_links(machine: Machine, path: str, announce: Announce) -> str:
    """
    Give the path without symbolic links, in the eyes of the examined process.

    `os.path.realpath` would follow absolute links out of another process's root, and
    could not say in which call it hangs. What does not exist keeps its name. Raises
    OSError: a loop, a folder nobody may enter, a mount that lost its server.
    """
    left = deque(split_path(path))
    real: list[str] = []
    links = 0
    while left:
        part = left.popleft()
        if part == "..":
            real = real[:-1]
            continue
        here = "/" + "/".join([*real, part])
        target = _read_target(machine, here, announce)
        if target is None:
            real.append(part)
            continue
        links += 1
        if links > MAX_LINKS:
            raise OSError(40, "too many symbolic links", path)
        if target.startswith("/"):
            real = []
        left.extendleft(reversed(split_path(target)))
    return "/" + "/".join(real)


def _read_target(machine: Machine, path: str, announce: Announce) -> str | None:
    """Where a link points to; None: it is no link, or nothing at all."""
    there = machine.map_path(path)
    announce(f"lstat {escape_path(path)}")
    try:
        if not stat.S_ISLNK(there.lstat().st_mode):
            return None
        return str(there.readlink())
    except (FileNotFoundError, NotADirectoryError):
        return None
