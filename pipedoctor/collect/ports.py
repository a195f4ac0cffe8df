"""Read who listens on which TCP port: /proc/net/tcp, and whose socket it is."""

import re
import time
from collections.abc import Iterator

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine, read, read_or
from pipedoctor.collect.processes import descriptors, numbers
from pipedoctor.facts import Listener, Ports, Unreadable

PATIENCE = 0.3
"""Seconds that the search for owners may take; beyond, they stay unknown."""
_LISTEN = "0A"
_SOCKET = re.compile(r"socket:\[(\d+)\]")
_PORT = re.compile(r"[0-9]{1,5}")
_RANK = ("TORCHELASTIC_RUN_ID", "LOCAL_RANK", "RANK")
"""Set in a rank of a running job: the port is held by that very job."""


def ports(machine: Machine, announce: Announce) -> Ports:
    """Those of MASTER_PORT alone: a check asks for no other."""
    machine.linux()
    master = _master(machine)
    if master is None:
        message = "neither a log nor MASTER_PORT names a port"
        raise Unreadable(message)
    if machine.pid is not None or any(map(machine.environ.get, _RANK)):
        message = "MASTER_PORT is that of a job which already runs"
        raise Unreadable(message)
    seen = listening(machine, announce)
    holder = seen.holder(master)
    return Ports(master=master, listening=(holder,) if holder else ())


def listening(machine: Machine, announce: Announce) -> Ports:
    """All of them, for a log that names one; raises Unreadable where nobody tells."""
    machine.linux()
    announce(f"read {machine.process}/net/tcp")
    sockets = dict(_sockets(read(machine.process / "net/tcp")))
    sockets |= dict(_sockets(read_or(machine.process / "net/tcp6")))
    owners = dict(_owners(machine, set(sockets)))
    found: dict[int, Listener] = {}
    for inode, port in sockets.items():
        pid, command = owners.get(inode, (None, ""))
        if port not in found or pid is not None:
            found[port] = Listener(port=port, pid=pid, command=command)
    rows = tuple(found[port] for port in sorted(found))
    return Ports(master=_master(machine), listening=rows)


def _master(machine: Machine) -> int | None:
    text = machine.environ.get("MASTER_PORT", "").strip()
    return int(text) if _PORT.fullmatch(text) else None


def _sockets(table: str) -> Iterator[tuple[str, int]]:
    """Inode and port of every socket that listens."""
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) > 9 and fields[3] == _LISTEN:  # noqa: PLR2004  (the inode is the tenth)
            yield fields[9], int(fields[1].rpartition(":")[2], 16)


def _owners(
    machine: Machine, inodes: set[str]
) -> Iterator[tuple[str, tuple[int, str]]]:
    """The process that has the socket open, as far as processes may be looked into."""
    until = time.monotonic() + PATIENCE
    missing = set(inodes)
    for name in numbers(machine):
        if not missing or time.monotonic() > until:
            return
        held = missing.intersection(_inodes(f"{machine.proc}/{name}"))
        missing -= held
        command = read_or(machine.proc / name / "comm").strip() if held else ""
        for inode in held:
            yield inode, (int(name), command)


def _inodes(process: str) -> Iterator[str]:
    for _, target in descriptors(process):
        if match := _SOCKET.fullmatch(target):
            yield match[1]
