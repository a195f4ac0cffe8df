"""Namespaces and privileges of the examined process."""

from typing import NamedTuple

from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.collect.processes import read_status

_INITIAL_INODES = {"pid": 0xEFFFFFFC, "user": 0xEFFFFFFD}
"""include/linux/proc_ns.h: the inode numbers of those that exist from boot."""

_FULL_UID_MAP = ["0", "0", "4294967295"]
_CAP_SYS_ADMIN = 21
_CAP_SYS_RESOURCE = 24


class Privileges(NamedTuple):
    """What a process may do to the machine, not only to a namespace of its own."""

    root: bool
    sys_admin: bool
    sys_resource: bool
    own_admin: bool
    """CAP_SYS_ADMIN, be it only over the namespaces that belong to its own."""
    initial_user: bool
    sudo: bool
    """Can `sudo` work at all: an initial user namespace and no `no_new_privs`?"""


def is_in_initial(machine: Machine, kind: str) -> bool:
    """Is this the namespace that exists from boot? False when nobody can say."""
    return read_namespace(machine, kind) == f"{kind}:[{_INITIAL_INODES[kind]}]"


def read_namespace(machine: Machine, kind: str) -> str:
    """``pid:[4026531836]``, or nothing where it may not be read."""
    try:
        return str((machine.process / "ns" / kind).readlink())
    except OSError:
        return ""


def read_privileges(machine: Machine) -> Privileges:
    """Read user and capabilities, and whether they reach beyond a user namespace."""
    status = read_status(machine.process)
    capable = status.capabilities
    initial = _is_initial_user(machine)
    root = status.uids[1:2] == (0,)
    own_admin = bool(capable >> _CAP_SYS_ADMIN & 1)
    return Privileges(
        root=root,
        sys_admin=initial and own_admin,
        sys_resource=initial and bool(capable >> _CAP_SYS_RESOURCE & 1),
        own_admin=own_admin,
        initial_user=initial,
        sudo=initial and (root or not status.no_new_privileges),
    )


def _is_initial_user(machine: Machine) -> bool:
    """Every user maps to itself; the inode also tells a copy of that from the real."""
    own = read_namespace(machine, "user")
    if own and not is_in_initial(machine, "user"):
        return False
    return read_or_default(machine.process / "uid_map").split() == _FULL_UID_MAP
