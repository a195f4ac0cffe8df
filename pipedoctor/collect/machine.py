"""Which machine and which process to read: the real one, a live PID, a fake root."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import regular_file

MAX_TEXT_BYTES = 64 << 20
"""Bytes of a file of /proc, /sys or /etc: a process has some 65,000 mappings."""


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """
    What collectors look at instead of globals, so that tests can hand them a fake.

    `pid` is the running process whose limits, groups, mounts and environment are
    examined; None = this process, as a stand-in for the job it would start.
    """

    root: Path = Path("/")
    system: str = sys.platform
    """As `sys.platform`: ``linux``, ``darwin``, ``win32``."""
    pid: int | None = None
    environ: Mapping[str, str] = msgspec.field(default_factory=lambda: dict(os.environ))

    @property
    def proc(self) -> Path:
        """/proc of this machine."""
        return self.root / "proc"

    @property
    def process(self) -> Path:
        """/proc/PID of the examined process."""
        return self.proc / ("self" if self.pid is None else str(self.pid))

    def map_path(self, path: str) -> Path:
        """Map an absolute path of the examined process to one that we can open."""
        relative = path.lstrip("/")
        if self.pid is None:
            return self.root / relative
        return self.process / "root" / relative

    def require_linux(self) -> None:
        """Raise Unreadable anywhere but on Linux."""
        if not self.system.startswith("linux"):
            message = f"only available on Linux, not on {self.system}"
            raise UnreadableError(message)


def read_file(path: Path) -> str:
    """Read a small file of /proc, /sys or /etc whole, or raise Unreadable: why."""
    try:
        return regular_file.read_text(path, MAX_TEXT_BYTES)
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
        raise UnreadableError(message) from error


def read_or_default(path: Path, default: str = "", max_bytes: int = MAX_TEXT_BYTES) -> str:
    """Read a file that may well be absent; the default where it is larger than this, too."""
    try:
        return regular_file.read_text(path, max_bytes)
    except OSError:
        return default


def read_int(path: Path) -> int | None:
    """Read a file that holds one integer; None when absent or anything else."""
    text = read_or_default(path).strip()
    return int(text) if text.removeprefix("-").isdecimal() and text.isascii() else None
