"""Read back what a command changes: the value in force, before, after and at undo."""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from pipedoctor.collect.processes import read_stat_fields
from pipedoctor.collect.system.cpu import parse_cpu_list
from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import files
from pipedoctor.units import format_size, parse_size

_START_FIELD = 19
"""Of /proc/PID/stat, from the state on: clock ticks since boot."""

SHM_PATH = "/dev/shm"
UNLIMITED = "unlimited"
_REMOUNT_OPTION = re.compile(r"remount,size=(\d+[kmg]?)")


class Gauge(msgspec.Struct, frozen=True, kw_only=True):
    """
    A value of the system that can be read at any time, and set by one command.

    `key` is empty for ``shm`` and ``shm-access``, ``PID:START`` for what belongs to a
    process and the name of the setting for ``sysctl``; `START` tells a process from a
    later one of its number.
    """

    kind: Literal["shm", "shm-access", "nofile", "nproc", "affinity", "sysctl"]
    key: str = ""

    @property
    def subject(self) -> str:
        """What it measures, in words."""
        if self.kind in _PROCESS_SUBJECTS:
            return f"{_PROCESS_SUBJECTS[self.kind]} of process {self.pid}"
        return self.key if self.kind == "sysctl" else SHM_PATH

    @property
    def is_of_process(self) -> bool:
        """Does it belong to one process?"""
        return self.kind in _PROCESS_SUBJECTS

    @property
    def pid(self) -> int:
        """The process of a gauge that belongs to one."""
        return int(self.key.partition(":")[0])

    def read(self) -> str | None:
        """The value now; None when there is nothing left to measure."""
        try:
            if self.kind in {"shm", "shm-access"}:
                return str(files.run_with_timeout(SHM_PATH, lambda _: _read_shm(self.kind)))
            if self.kind == "sysctl":
                return " ".join(_resolve_sysctl_path(self.key).read_text(encoding="utf-8").split())
            return _read_process_value(self.kind, self.key)
        except (OSError, ValueError, UnreadableError):
            return None

    def format_value(self, value: str) -> str:
        """A value as people say it."""
        if self.kind == "shm":
            return format_size(int(value)) if int(value) else UNLIMITED
        if self.kind in _LIMIT_ROWS:
            soft, _, hard = value.partition(":")
            return f"{soft} (at most {hard})"
        return f"CPUs {value}" if self.kind == "affinity" else value

    def build_command(self, value: str) -> tuple[str, ...]:
        """
        The command that gives it this value, built from nothing but typed parts.

        ValueError for a value or a key that this kind cannot have.
        """
        if not _VALUES[self.kind].fullmatch(value) or not _KEYS[self.kind].fullmatch(self.key):
            message = f"{value!r} is not a value of {self.kind} {self.key!r}"
            raise ValueError(message)
        if self.kind == "shm":
            return ("mount", "-o", f"remount,size={value}", SHM_PATH)
        if self.kind == "shm-access":
            return ("mount", "-o", f"remount,{value}", SHM_PATH)
        if self.kind == "sysctl":
            return ("sysctl", "-w", f"{self.key}={value}")
        if self.kind == "affinity":
            return ("taskset", "-apc", value, str(self.pid))
        return ("prlimit", "--pid", str(self.pid), f"--{self.kind}={value}")


_PROCESS_SUBJECTS = {"nofile": "open files", "nproc": "processes", "affinity": "CPUs"}
_LIMIT_ROWS = {"nofile": "Max open files", "nproc": "Max processes"}
_LIMIT_KINDS: dict[str, Literal["nofile", "nproc"]] = {"nofile": "nofile", "nproc": "nproc"}
_LIMITS = re.compile(r"(\d{1,20}|unlimited):(\d{1,20}|unlimited)")
_NO_KEY, _PROCESS_KEY = re.compile(""), re.compile(r"[1-9]\d{0,9}:\d{1,20}")
_SYSCTL_KEY = re.compile(r"[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*")
_VALUES = {
    "shm": re.compile(r"\d{1,19}"),
    "shm-access": re.compile(r"r[ow]"),
    "nofile": _LIMITS,
    "nproc": _LIMITS,
    "affinity": re.compile(r"\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?)*"),
    "sysctl": re.compile(r"[A-Za-z0-9_.:,/|%-]+(?: [A-Za-z0-9_.:,/|%-]+)*"),
}
_KEYS = {
    "shm": _NO_KEY,
    "shm-access": _NO_KEY,
    "nofile": _PROCESS_KEY,
    "nproc": _PROCESS_KEY,
    "affinity": _PROCESS_KEY,
    "sysctl": _SYSCTL_KEY,
}


def parse_gauge(argv: Sequence[str]) -> tuple[Gauge, str] | None:
    """Which value this command sets, and to what; None when we cannot read it back."""
    gauge, value = _parse_command(tuple(argv))
    if gauge is None or not _VALUES[gauge.kind].fullmatch(value) or gauge.read() is None:
        return None
    return gauge, value


def _parse_command(argv: tuple[str, ...]) -> tuple[Gauge | None, str]:
    match argv:
        case ("mount", "-o", option, place) if place == SHM_PATH:
            size = _REMOUNT_OPTION.fullmatch(option)
            access = Gauge(kind="shm-access"), option.removeprefix("remount,")
            return (Gauge(kind="shm"), str(parse_size(size[1]))) if size else access
        case ("prlimit", "--pid", pid, option) if pid.isdecimal():
            name, _, value = option.removeprefix("--").partition("=")
            kind = _LIMIT_KINDS.get(name)
            return (Gauge(kind=kind, key=_identify_process(pid)) if kind else None), value
        case ("taskset", "-apc", cpus, pid) if pid.isdecimal():
            return Gauge(kind="affinity", key=_identify_process(pid)), _normalise_cpus(cpus)
        case ("sysctl", "-w", setting):
            key, _, value = setting.partition("=")
            gauge = Gauge(kind="sysctl", key=key.strip().replace("/", "."))
            return gauge, " ".join(value.split())
        case _:
            return None, ""


def _identify_process(pid: str) -> str:
    return f"{pid}:{read_start_time(int(pid))}"


def _normalise_cpus(text: str) -> str:
    return _format_cpus(parse_cpu_list(text)) if _VALUES["affinity"].fullmatch(text) else ""


def _format_cpus(cpus: Iterable[int]) -> str:
    """As the kernel writes them: ``0-3,8``."""
    spans: list[list[int]] = []
    for cpu in sorted(cpus):
        if spans and cpu == spans[-1][1] + 1:
            spans[-1][1] = cpu
        else:
            spans.append([cpu, cpu])
    return ",".join(f"{a}-{b}" if b > a else f"{a}" for a, b in spans)


def _read_shm(kind: str) -> str:
    seen = os.statvfs(SHM_PATH)
    if kind == "shm":
        return str(seen.f_blocks * seen.f_frsize)
    return "ro" if seen.f_flag & os.ST_RDONLY else "rw"


def _read_process_value(kind: str, key: str) -> str | None:
    pid, _, start = key.partition(":")
    if read_start_time(int(pid)) != start:
        return None
    if kind == "affinity":
        return _format_cpus(os.sched_getaffinity(int(pid)))
    text = Path(f"/proc/{pid}/limits").read_text(encoding="utf-8")
    line = next(la for la in text.splitlines() if la.startswith(_LIMIT_ROWS[kind]))
    soft, hard = line.removeprefix(_LIMIT_ROWS[kind]).split()[:2]
    return f"{soft}:{hard}"


def read_start_time(pid: int) -> str | None:
    """When a process began, in clock ticks since boot; None when it is gone."""
    fields = read_stat_fields(Path(f"/proc/{pid}"))
    return fields[_START_FIELD] if fields and fields[0] not in "ZX" else None


def _resolve_sysctl_path(key: str) -> Path:
    if not _SYSCTL_KEY.fullmatch(key):
        message = f"{key!r} is not the name of a kernel setting"
        raise FileNotFoundError(message)
    return Path("/proc/sys", *key.split("."))
