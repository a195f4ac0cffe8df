"""Namespaces and privileges of the examined process."""

import re
from typing import NamedTuple

from pipedoctor.collect.machine import Machine, read_or

_INITIAL = {"pid": 0xEFFFFFFC, "user": 0xEFFFFFFD}
"""include/linux/proc_ns.h: the inode numbers of those that exist from boot."""

_EVERY_USER = ["0", "0", "4294967295"]
_SYS_ADMIN = 21
_SYS_RESOURCE = 24


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


def in_initial(machine: Machine, kind: str) -> bool:
    """Is this the namespace that exists from boot? False when nobody can say."""
    return namespace(machine, kind) == f"{kind}:[{_INITIAL[kind]}]"


def namespace(machine: Machine, kind: str) -> str:
    """``pid:[4026531836]``, or nothing where it may not be read."""
    try:
        return str((machine.process / "ns" / kind).readlink())
    except OSError:
        return ""


def privileges(machine: Machine) -> Privileges:
    """Read user and capabilities, and whether they reach beyond a user namespace."""
    status = read_or(machine.process / "status")
    capable = int(_field(status, "CapEff", "[0-9a-f]+")[0] or "0", 16)
    initial = _initial_user(machine)
    locked = _field(status, "NoNewPrivs", "[0-9]+") == ["1"]
    root = _field(status, "Uid", r"[0-9]+\s+[0-9]+")[-1] == "0"
    own_admin = bool(capable >> _SYS_ADMIN & 1)
    return Privileges(
        root=root,
        sys_admin=initial and own_admin,
        sys_resource=initial and bool(capable >> _SYS_RESOURCE & 1),
        own_admin=own_admin,
        initial_user=initial,
        sudo=initial and (root or not locked),
    )


def _initial_user(machine: Machine) -> bool:
    """Every user maps to itself; the inode also tells a copy of that from the real."""
    own = namespace(machine, "user")
    if own and not in_initial(machine, "user"):
        return False
    return read_or(machine.process / "uid_map").split() == _EVERY_USER


def _field(status: str, name: str, value: str) -> list[str]:
    """The words of a field of /proc/PID/status; one empty word when it is absent."""
    match = re.search(rf"^{name}:\s*({value})", status, re.MULTILINE)
    return match[1].split() if match else [""]
