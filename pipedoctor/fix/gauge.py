"""Read back what a command changes: the value in force, before, after and at undo."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from pipedoctor.units import human

SHM = "/dev/shm"
UNLIMITED = "unlimited"
_REMOUNT = re.compile(r"remount,size=(\d+)")


class Gauge(msgspec.Struct, frozen=True, kw_only=True):
    """
    A value of the system that can be read at any time.

    `key` is empty for ``shm``, ``PID:START`` for ``nofile`` and the name of the
    setting for ``sysctl``; `START` tells a process from a later one of its number.
    """

    kind: Literal["shm", "nofile", "sysctl"]
    key: str = ""

    @property
    def subject(self) -> str:
        """What it measures, in words."""
        if self.kind == "shm":
            return SHM
        if self.kind == "nofile":
            return f"open files of process {self.pid}"
        return self.key

    @property
    def pid(self) -> int:
        """The process of a ``nofile`` gauge."""
        return int(self.key.partition(":")[0])

    def read(self) -> str | None:
        """The value now; None when there is nothing left to measure."""
        try:
            if self.kind == "shm":
                seen = os.statvfs(SHM)
                return str(seen.f_blocks * seen.f_frsize)
            if self.kind == "nofile":
                return _nofile(self.key)
            return " ".join(_sysctl(self.key).read_text(encoding="utf-8").split())
        except OSError:
            return None

    def words(self, value: str) -> str:
        """A value as people say it."""
        if self.kind == "shm":
            return human(int(value)) if int(value) else UNLIMITED
        if self.kind == "nofile":
            soft, _, hard = value.partition(":")
            return f"{soft} (at most {hard})"
        return value


def gauge_of(argv: Sequence[str]) -> tuple[Gauge, str] | None:
    """Which value this command sets, and to what; None when we cannot read it back."""
    if argv[:2] == ("mount", "-o") and argv[-1] == SHM:
        match = _REMOUNT.fullmatch(argv[2])
        return (Gauge(kind="shm"), match[1]) if match else None
    if argv[:2] == ("prlimit", "--pid") and argv[3:]:
        gauge = Gauge(kind="nofile", key=f"{argv[2]}:{started(int(argv[2]))}")
        name, _, value = argv[3].partition("=")
        return (gauge, value) if name == "--nofile" and gauge.read() else None
    if argv[:2] == ("sysctl", "-w") and len(argv) == 3:  # noqa: PLR2004  (one setting)
        key, equals, value = argv[2].partition("=")
        gauge = Gauge(kind="sysctl", key=key.strip().replace("/", "."))
        known = equals and gauge.read() is not None
        return (gauge, " ".join(value.split())) if known else None
    return None


def started(pid: int) -> str | None:
    """When a process began, in clock ticks since boot; None when it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    state, *rest = stat.rpartition(")")[2].split()
    return None if state in "ZX" else rest[18]


def _nofile(key: str) -> str | None:
    pid, _, start = key.partition(":")
    if started(int(pid)) != start:
        return None
    text = Path(f"/proc/{pid}/limits").read_text(encoding="utf-8")
    line = next(la for la in text.splitlines() if la.startswith("Max open files"))
    soft, hard = line.split()[3:5]
    return f"{soft}:{hard}"


def _sysctl(key: str) -> Path:
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", key):
        message = f"{key!r} is not the name of a kernel setting"
        raise FileNotFoundError(message)
    return Path("/proc/sys", *key.split("."))
