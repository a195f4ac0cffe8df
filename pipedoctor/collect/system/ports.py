"""Read who listens on which TCP port: /proc/net/tcp, and whose socket it is."""

import re
import time
from collections.abc import Iterator

from pipedoctor.collect.machine import Machine, read_file, read_or_default
from pipedoctor.collect.processes import list_descriptors, list_pids
from pipedoctor.facts import Listener, Ports, UnreadableError
from pipedoctor.runtime.lanes import Announce

OWNER_TIMEOUT = 0.3
"""Seconds that the search for owners may take; beyond, they stay unknown."""
_LISTEN_STATE = "0A"
_SOCKET_TARGET = re.compile(r"socket:\[(\d+)\]")
_PORT_NUMBER = re.compile(r"[0-9]{1,5}")
_RANK_VARIABLES = ("TORCHELASTIC_RUN_ID", "LOCAL_RANK", "RANK")
"""Set in a rank of a running job: the port is held by that very job."""


def ports(machine: Machine, announce: Announce) -> Ports:
    """Report who listens on MASTER_PORT; no check asks for another port."""
    machine.require_linux()
    master = _get_master_port(machine)
    if master is None:
        message = "neither a log nor MASTER_PORT names a port"
        raise UnreadableError(message)
    if machine.pid is not None or any(map(machine.environ.get, _RANK_VARIABLES)):
        message = "MASTER_PORT belongs to a job that is already running"
        raise UnreadableError(message)
    seen = list_listeners(machine, announce)
    holder = seen.find_listener(master)
    return Ports(master=master, listening=(holder,) if holder else ())


def list_listeners(machine: Machine, announce: Announce) -> Ports:
    """List all listening ports, for a log that names one; raises UnreadableError."""
    machine.require_linux()
    announce(f"read {machine.process}/net/tcp")
    sockets = dict(_parse_sockets(read_file(machine.process / "net/tcp")))
    sockets |= dict(_parse_sockets(read_or_default(machine.process / "net/tcp6")))
    owners = dict(_find_owners(machine, set(sockets)))
    found: dict[int, Listener] = {}
    for inode, port in sockets.items():
        pid, command = owners.get(inode, (None, ""))
        if port not in found or pid is not None:
            found[port] = Listener(port=port, pid=pid, command=command)
    rows = tuple(found[port] for port in sorted(found))
    return Ports(master=_get_master_port(machine), listening=rows)


def _get_master_port(machine: Machine) -> int | None:
    text = machine.environ.get("MASTER_PORT", "").strip()
    return int(text) if _PORT_NUMBER.fullmatch(text) else None


def _parse_sockets(table: str) -> Iterator[tuple[str, int]]:
    """Inode and port of every socket that listens."""
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) > 9 and fields[3] == _LISTEN_STATE:  # noqa: PLR2004  (the inode is the tenth)
            yield fields[9], int(fields[1].rpartition(":")[2], 16)


def _find_owners(machine: Machine, inodes: set[str]) -> Iterator[tuple[str, tuple[int, str]]]:
    """The process that has the socket open, as far as processes may be looked into."""
    until = time.monotonic() + OWNER_TIMEOUT
    missing = set(inodes)
    for name in list_pids(machine):
        if not missing or time.monotonic() > until:
            return
        held = missing.intersection(_list_inodes(f"{machine.proc}/{name}"))
        missing -= held
        command = read_or_default(machine.proc / name / "comm").strip() if held else ""
        for inode in held:
            yield inode, (int(name), command)


def _list_inodes(process: str) -> Iterator[str]:
    for _, target in list_descriptors(process):
        if match := _SOCKET_TARGET.fullmatch(target):
            yield match[1]
