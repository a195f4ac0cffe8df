"""What is compared of the places a job reads from and writes to."""

from collections.abc import Iterator
from typing import Any

from pipedoctor.facts import Paths
from pipedoctor.facts.paths import Mount, PathFact

NODE_ROLES = frozenset(("cwd", "code"))
SHARED_ROLES = frozenset(("data", "tmp", "scratch"))
"""Places that an administrator makes; a home or a cache is made by use."""
OPTIONS = frozenset(
    (
        "ro",
        "rw",
        "sync",
        "dirsync",
        "noac",
        "soft",
        "hard",
        "noatime",
        "relatime",
        "flock",
        "localflock",
        "noflock",
    )
)
"""Mount options that change how a place behaves; others hold addresses and users."""
OPTION_NAMES = frozenset(("rsize", "wsize", "vers", "nconnect", "proto"))
"""Those that count with their value."""


def list_path_properties(fact: Paths) -> Iterator[tuple[str, Any]]:
    """By role; of several places of one role the first counts."""
    for entry in reversed(fact.entries):
        if entry.role not in NODE_ROLES:
            yield from _list_place_properties(entry, f"paths.{entry.role}")


def _list_place_properties(entry: PathFact, at: str) -> Iterator[tuple[str, Any]]:
    yield f"{at}.hang", entry.hang is not None
    if entry.hang is not None:
        return
    yield f"{at}.error", entry.error_code or entry.error
    if entry.error:
        return
    if entry.role in SHARED_ROLES:
        yield f"{at}.exists", entry.exists
    if entry.writable is not None and entry.role != "data":
        yield f"{at}.writable", entry.writable
    if entry.mount:
        yield f"{at}.mount.fstype", entry.mount.fstype
        yield f"{at}.mount.options", _select_options(entry.mount)
    if entry.size is not None:
        yield f"{at}.size", entry.size
    if entry.disks:
        kinds = sorted({disk.transport for disk in entry.disks if disk.transport})
        yield f"{at}.disks.transport", " ".join(kinds)
        yield f"{at}.disks.rotational", any(d.rotational for d in entry.disks)


def _select_options(mount: Mount) -> str:
    return ",".join(
        sorted(
            {
                option
                for option in mount.options
                if option in OPTIONS or option.partition("=")[0] in OPTION_NAMES
            }
        )
    )
