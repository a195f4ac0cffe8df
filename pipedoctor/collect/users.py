"""Whose process it is that we examine, what it may, and what else he runs."""

import re
from dataclasses import dataclass
from pathlib import Path

from pipedoctor.collect.machine import Machine, read_or
from pipedoctor.collect.processes import numbers

_CAP_IPC_LOCK = 14
_CAP_SYS_ADMIN = 21
_CAP_SYS_RESOURCE = 24
_HEXADECIMAL = re.compile(r"[0-9a-f]+")
_WHOLE = ["0", "0", "4294967295"]


@dataclass(frozen=True, kw_only=True)
class User:
    """The real user of a process; None = not known."""

    uid: int | None
    initial: bool = False
    """In the initial user namespace: in others, might counts for nothing here."""
    capabilities: frozenset[int] = frozenset()
    """Effective ones, by number."""

    @property
    def exempt_from_nproc(self) -> bool:
        """The kernel lets root and two capabilities pass RLIMIT_NPROC."""
        mighty = {_CAP_SYS_ADMIN, _CAP_SYS_RESOURCE} & self.capabilities
        return self.initial and (self.uid == 0 or bool(mighty))

    @property
    def exempt_from_memlock(self) -> bool:
        """And one passes RLIMIT_MEMLOCK."""
        return self.initial and _CAP_IPC_LOCK in self.capabilities


@dataclass(frozen=True, kw_only=True)
class Process:
    """A process, by its directory under /proc."""

    path: str
    threads: int


def of(machine: Machine) -> User:
    """The user of the examined process."""
    status = {
        name: value.split()
        for name, _, value in (
            line.partition(":")
            for line in read_or(machine.process / "status").splitlines()
        )
    }
    uids = status.get("Uid", [])
    uid = int(uids[0]) if uids and uids[0].isdecimal() else None
    initial = read_or(machine.process / "uid_map").split() == _WHOLE
    mask = (status.get("CapEff") or ["0"])[0]
    bits = int(mask, 16) if _HEXADECIMAL.fullmatch(mask) else 0
    capabilities = frozenset(n for n in range(bits.bit_length()) if bits >> n & 1)
    return User(uid=uid, initial=initial, capabilities=capabilities)


def processes(machine: Machine, uid: int) -> list[Process]:
    """
    The processes of a user that can be seen, by their effective owner.

    The number of links of /proc/PID/task is two more than there are threads: one
    call a process, where reading its status would cost ten times as much.
    """
    found: list[Process] = []
    proc = str(machine.proc)
    for name in numbers(machine):
        path = f"{proc}/{name}"
        try:
            seen = Path(f"{path}/task").stat()
        except OSError:  # it ended meanwhile
            continue
        if seen.st_uid == uid:
            found.append(Process(path=path, threads=max(1, seen.st_nlink - 2)))
    return found
