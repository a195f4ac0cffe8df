"""Files in /dev/shm that killed processes leave behind."""

import contextlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

SHM = Path("/dev/shm")
_ROOT = Path("/")
_TORCH_NAME = re.compile(r"torch_(\d+)_")
_INODE_FIELD = 4
_SEMAPHORE_PREFIX = "sem.mp-"
"""Of multiprocessing without fork: its tracker removes them, unless it is killed."""


class LeftoverFiles:
    """Knows what lay in /dev/shm before, and removes what ours have added."""

    def __init__(self, folder: Path = SHM, root: Path = _ROOT) -> None:
        self._folder, self._root = folder, root
        self._proc = root / "proc"
        self._names_before = _list_names(folder)
        self._used_inodes: set[int] = set()

    def record_used(self, pids: Iterable[int]) -> None:
        """Remember the files that these processes have mapped or open now."""
        for pid in pids:
            self._used_inodes |= _read_inodes(self._proc / str(pid), self._folder)

    def remove_leftovers(self) -> list[str]:
        """
        Remove files that came since and were ours; give their names.

        What was not seen in use by ours stays where another container may own it.
        """
        removed: list[str] = []
        new = sorted(_list_names(self._folder) - self._names_before)
        free = self._find_orphans(new)
        for name in new:
            file = self._folder / name
            if _read_own_inode(file) in self._used_inodes or name in free:
                with contextlib.suppress(OSError):
                    file.unlink()
                    removed.append(name)
        return removed

    def _find_orphans(self, names: Iterable[str]) -> set[str]:
        """Those of our user that were left by the dead, and nobody can still need."""
        left = {name for name in names if _is_orphan(name, self._proc)}
        if not left or not self._is_private_folder():
            return set()
        used = _find_used_inodes(self._proc, self._folder)
        inodes = {name: _read_own_inode(self._folder / name) for name in left}
        return {name for name, inode in inodes.items() if inode and inode not in used}

    def _is_private_folder(self) -> bool:
        from pipedoctor.collect.machine import Machine  # noqa: PLC0415  (seldom needed)
        from pipedoctor.collect.system.shm import sees_all_writers  # noqa: PLC0415  (seldom needed)

        try:
            return sees_all_writers(Machine(root=self._root), self._folder)
        except OSError:
            return False


def _list_names(folder: Path) -> set[str]:
    try:
        return set(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return set()


def _read_own_inode(file: Path) -> int:
    """The inode of a file of this user; 0: it is somebody else's, or gone."""
    try:
        seen = file.stat()
    except OSError:
        return 0
    return seen.st_ino if seen.st_uid == os.getuid() else 0


def _is_orphan(name: str, proc: Path) -> bool:
    """Would its maker have removed it, had it not been killed?"""
    match = _TORCH_NAME.match(name)
    if match is None:
        return name.startswith(_SEMAPHORE_PREFIX)
    return not (proc / match[1]).exists()


def _find_used_inodes(proc: Path, folder: Path) -> set[int]:
    """Inodes of files of the folder that any process has mapped or open."""
    pids = (entry for entry in os.listdir(proc) if entry.isdecimal())  # noqa: PTH208
    return set[int]().union(*(_read_inodes(proc / pid, folder) for pid in pids))


def _read_inodes(process: Path, folder: Path) -> set[int]:
    """
    Inodes of files of the folder in the maps of a process, and among its descriptors.

    Not their names: a semaphore is mapped before it gets the name that it keeps.
    """
    inodes: set[int] = set()
    with contextlib.suppress(OSError):
        text = (process / "maps").read_text(errors="replace")
        rows = (row.split() for row in text.splitlines() if f" {folder}/" in row)
        inodes |= {int(row[_INODE_FIELD]) for row in rows}
    with contextlib.suppress(OSError):
        for link in (process / "fd").iterdir():
            with contextlib.suppress(OSError):
                if str(link.readlink()).startswith(f"{folder}/"):
                    inodes.add(link.stat().st_ino)
    return inodes
