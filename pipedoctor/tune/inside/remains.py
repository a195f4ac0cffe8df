"""Files in /dev/shm that killed processes leave behind."""

import contextlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

SHM = Path("/dev/shm")
_ROOT = Path("/")
_TORCH = re.compile(r"torch_(\d+)_")
_INODE = 4
_SEMAPHORE = "sem.mp-"
"""Of multiprocessing without fork: its tracker removes them, unless it is killed."""


class Remains:
    """Knows what lay in /dev/shm before, and removes what ours have added."""

    def __init__(self, folder: Path = SHM, root: Path = _ROOT) -> None:
        self._folder, self._root = folder, root
        self._proc = root / "proc"
        self._before = _names(folder)
        self._held: set[int] = set()

    def note(self, pids: Iterable[int]) -> None:
        """Remember the files that these processes have mapped or open now."""
        for pid in pids:
            self._held |= _mapped(self._proc / str(pid), self._folder)

    def remove(self) -> list[str]:
        """
        Remove files that came since and were ours; give their names.

        What was not seen in use by ours stays where another container may own it.
        """
        removed: list[str] = []
        new = sorted(_names(self._folder) - self._before)
        free = self._free(new)
        for name in new:
            file = self._folder / name
            if _mine(file) in self._held or name in free:
                with contextlib.suppress(OSError):
                    file.unlink()
                    removed.append(name)
        return removed

    def _free(self, names: Iterable[str]) -> set[str]:
        """Those of our user that were left by the dead, and nobody can still need."""
        left = {name for name in names if _orphan(name, self._proc)}
        if not left or not self._enclosed():
            return set()
        used = _used(self._proc, self._folder)
        inodes = {name: _mine(self._folder / name) for name in left}
        return {name for name, inode in inodes.items() if inode and inode not in used}

    def _enclosed(self) -> bool:
        from pipedoctor.collect.machine import Machine  # noqa: PLC0415  (seldom needed)
        from pipedoctor.collect.shm import enclosed  # noqa: PLC0415  (seldom needed)

        try:
            return enclosed(Machine(root=self._root), self._folder)
        except OSError:
            return False


def _names(folder: Path) -> set[str]:
    try:
        return set(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return set()


def _mine(file: Path) -> int:
    """The inode of a file of this user; 0: it is somebody else's, or gone."""
    try:
        seen = file.stat()
    except OSError:
        return 0
    return seen.st_ino if seen.st_uid == os.getuid() else 0


def _orphan(name: str, proc: Path) -> bool:
    """Would whoever made it have removed it, had he not been killed?"""
    found = _TORCH.match(name)
    if found is None:
        return name.startswith(_SEMAPHORE)
    return not (proc / found[1]).exists()


def _used(proc: Path, folder: Path) -> set[int]:
    """Inodes of files of the folder that any process has mapped or open."""
    pids = (entry for entry in os.listdir(proc) if entry.isdecimal())  # noqa: PTH208
    return set[int]().union(*(_mapped(proc / pid, folder) for pid in pids))


def _mapped(process: Path, folder: Path) -> set[int]:
    """
    Inodes of files of the folder in the maps of a process, and among its descriptors.

    Not their names: a semaphore is mapped before it gets the name that it keeps.
    """
    inodes: set[int] = set()
    with contextlib.suppress(OSError):
        text = (process / "maps").read_text(errors="replace")
        rows = (row.split() for row in text.splitlines() if f" {folder}/" in row)
        inodes |= {int(row[_INODE]) for row in rows}
    with contextlib.suppress(OSError):
        for link in (process / "fd").iterdir():
            with contextlib.suppress(OSError):
                if str(link.readlink()).startswith(f"{folder}/"):
                    inodes.add(link.stat().st_ino)
    return inodes
