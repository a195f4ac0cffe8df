"""Files in /dev/shm that killed processes leave behind."""

import contextlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

SHM = Path("/dev/shm")
_TORCH = re.compile(r"torch_(\d+)_")
_SEMAPHORE = "sem.mp-"
"""Of multiprocessing without fork: its tracker removes them, unless it is killed."""


class Remains:
    """Knows what lay in /dev/shm before, and removes what ours have added."""

    def __init__(self, folder: Path = SHM) -> None:
        self._folder = folder
        self._before = _names(folder)
        self._held: set[str] = set()

    def note(self, pids: Iterable[int]) -> None:
        """Remember the files that these processes have mapped or open now."""
        for pid in pids:
            self._held |= _mapped(pid, self._folder)

    def remove(self) -> list[str]:
        """Remove files that came since and were ours; give their names."""
        removed: list[str] = []
        new = sorted(_names(self._folder) - self._before)
        used = _used(self._folder) if any(map(_orphan, new)) else set[str]()
        for name in new:
            file = self._folder / name
            orphan = _orphan(name) and name not in used
            if (name in self._held or orphan) and _mine(file):
                with contextlib.suppress(OSError):
                    file.unlink()
                    removed.append(name)
        return removed


def _names(folder: Path) -> set[str]:
    try:
        return set(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return set()


def _mine(file: Path) -> bool:
    try:
        return file.stat().st_uid == os.getuid()
    except OSError:
        return False


def _orphan(name: str) -> bool:
    """Would whoever made it have removed it, had he not been killed?"""
    found = _TORCH.match(name)
    if found is None:
        return name.startswith(_SEMAPHORE)
    return not Path("/proc", found[1]).exists()


def _used(folder: Path) -> set[str]:
    """Files of the folder that any process has mapped or open."""
    pids = (int(entry) for entry in os.listdir("/proc") if entry.isdecimal())  # noqa: PTH208
    return set[str]().union(*(_mapped(pid, folder) for pid in pids))


def _mapped(pid: int, folder: Path) -> set[str]:
    """Files of the folder in the maps of a process, and among its descriptors."""
    names: set[str] = set()
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/maps").read_text(errors="replace")
        names |= set(re.findall(rf"{folder}/(\S+)$", text, re.MULTILINE))
    with contextlib.suppress(OSError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                target = str(link.readlink())
                if target.startswith(f"{folder}/"):
                    names.add(target.removeprefix(f"{folder}/"))
    return names
