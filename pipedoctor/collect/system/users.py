"""Whose process it is that we examine, what it may, and what else he runs."""

from dataclasses import dataclass
from pathlib import Path

from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.collect.processes import list_pids, read_status

_CAP_IPC_LOCK = 14
_CAP_SYS_ADMIN = 21
_CAP_SYS_RESOURCE = 24
_FULL_UID_MAP = ["0", "0", "4294967295"]


@dataclass(frozen=True, kw_only=True)
class ProcessUser:
    """The real user of a process; None = not known."""

    uid: int | None
    in_initial_namespace: bool = False
    """In the initial user namespace: in others, might counts for nothing here."""
    capabilities: frozenset[int] = frozenset()
    """Effective ones, by number."""

    @property
    def exempt_from_nproc(self) -> bool:
        """The kernel lets root and two capabilities pass RLIMIT_NPROC."""
        mighty = {_CAP_SYS_ADMIN, _CAP_SYS_RESOURCE} & self.capabilities
        return self.in_initial_namespace and (self.uid == 0 or bool(mighty))

    @property
    def exempt_from_memlock(self) -> bool:
        """And one passes RLIMIT_MEMLOCK."""
        return self.in_initial_namespace and _CAP_IPC_LOCK in self.capabilities


@dataclass(frozen=True, kw_only=True)
class UserProcess:
    """A process, by its directory under /proc."""

    path: str
    threads: int


def read_user(machine: Machine) -> ProcessUser:
    """The user of the examined process."""
    status = read_status(machine.process)
    uid = status.uids[0] if status.uids else None
    initial = read_or_default(machine.process / "uid_map").split() == _FULL_UID_MAP
    bits = status.capabilities
    capabilities = frozenset(n for n in range(bits.bit_length()) if bits >> n & 1)
    return ProcessUser(uid=uid, in_initial_namespace=initial, capabilities=capabilities)


def list_user_processes(machine: Machine, uid: int) -> list[UserProcess]:
    """
    The processes of a user that can be seen, by their effective owner.

    The number of links of /proc/PID/task is two more than there are threads: one
    call a process, where reading its status would cost ten times as much.
    """
    found: list[UserProcess] = []
    proc = str(machine.proc)
    for name in list_pids(machine):
        path = f"{proc}/{name}"
        try:
            seen = Path(f"{path}/task").stat()
        except OSError:  # it ended meanwhile
            continue
        if seen.st_uid == uid:
            found.append(UserProcess(path=path, threads=max(1, seen.st_nlink - 2)))
    return found
