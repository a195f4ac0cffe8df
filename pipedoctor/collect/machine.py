"""Which machine and which process to read: the real one, a live PID, a fake root."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pipedoctor.facts import Unreadable


@dataclass(frozen=True, kw_only=True)
class Machine:
    """
    What collectors look at instead of globals, so that tests can hand them a fake.

    `pid` is the running process whose limits, groups, mounts and environment are
    examined; None = this process, as a stand-in for the job it would start.
    """

    root: Path = Path("/")
    system: str = sys.platform
    """As `sys.platform`: ``linux``, ``darwin``, ``win32``."""
    pid: int | None = None
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    @property
    def proc(self) -> Path:
        """/proc of this machine."""
        return self.root / "proc"

    @property
    def process(self) -> Path:
        """/proc/PID of the examined process."""
        return self.proc / ("self" if self.pid is None else str(self.pid))

    def inside(self, path: str) -> Path:
        """An absolute path as the examined process sees it: its mounts, its root."""
        relative = path.lstrip("/")
        if self.pid is None:
            return self.root / relative
        return self.process / "root" / relative

    def linux(self) -> None:
        """Raise Unreadable anywhere but on Linux."""
        if not self.system.startswith("linux"):
            message = f"only known on Linux, this is {self.system}"
            raise Unreadable(message)


def read(path: Path) -> str:
    """Read a small file of /proc, /sys or /etc whole, or raise Unreadable: why."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
        raise Unreadable(message) from error


def read_or(path: Path, default: str = "") -> str:
    """Read a file that may well be absent."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return default


def read_int(path: Path) -> int | None:
    """Read a file that holds one integer; None when absent or anything else."""
    text = read_or(path).strip()
    return int(text) if text.removeprefix("-").isdecimal() and text.isascii() else None
