"""What /proc lists: processes, and what their descriptors are, quickly."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.lazy_pattern import compile_lazily

_HEXADECIMAL = compile_lazily("[0-9a-f]{1,32}")


class ProcessStatus(NamedTuple):
    """What /proc/PID/status says of a process's rights; empty: not known."""

    uids: tuple[int, ...]
    """Real, effective, saved, of the file system; groups likewise."""
    gids: tuple[int, ...]
    groups: tuple[int, ...]
    capabilities: int
    """The effective ones, a bit each."""
    no_new_privileges: bool


def list_pids(machine: Machine) -> list[str]:
    """The processes that can be seen, as /proc names them; none, without /proc."""
    try:
        names = os.listdir(machine.proc)  # noqa: PTH208  (thousands: no Path each)
    except OSError:
        return []
    return list(filter(str.isdecimal, names))


def list_descriptors(process: str) -> Iterator[tuple[str, str]]:
    """Number and target of what a process has open; nothing that we may not see."""
    try:
        names = os.listdir(f"{process}/fd")  # noqa: PTH208  (names suffice)
    except OSError:
        return
    for name in names:
        try:
            target = os.readlink(f"{process}/fd/{name}")  # noqa: PTH115  (quicker)
        except OSError:  # closed meanwhile
            continue
        yield name, target


def read_status(process: Path) -> ProcessStatus:
    """Read /proc/PID/status."""
    fields: dict[str, list[str]] = {}
    for line in read_or_default(process / "status").splitlines():
        name, _, value = line.partition(":")
        fields[name] = value.split()

    def numbers(name: str) -> tuple[int, ...]:
        words = fields.get(name, [])
        return tuple(map(int, words)) if all(map(str.isdecimal, words)) else ()

    mask = (fields.get("CapEff") or ["0"])[0]
    return ProcessStatus(
        uids=numbers("Uid"),
        gids=numbers("Gid"),
        groups=numbers("Groups"),
        capabilities=int(mask, 16) if _HEXADECIMAL.fullmatch(mask) else 0,
        no_new_privileges=fields.get("NoNewPrivs") == ["1"],
    )


def read_stat_fields(process: Path) -> list[str]:
    """
    The fields of /proc/PID/stat from the state on; none where the process is gone.

    The name before them may hold blanks and brackets itself.
    """
    return read_or_default(process / "stat").rpartition(")")[2].split()
