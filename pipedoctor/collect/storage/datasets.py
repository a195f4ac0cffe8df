"""Survey the storage under a dataset: its mount and disks, its files, their speed."""

from typing import Any

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import escape_path, find_mount, mounts
from pipedoctor.collect.storage.cold_read import cold_read
from pipedoctor.collect.storage.dataset_walk import WALK_TIMEOUT, DatasetWalk, walk_dataset
from pipedoctor.collect.storage.disks import find_disks
from pipedoctor.collect.storage.paths import build_error_fields, make_absolute
from pipedoctor.collect.symlinks import resolve_links
from pipedoctor.facts import DataSet, UnreadableError
from pipedoctor.runtime.lanes import Announce

QUICK_TIMEOUT = 0.2


def dataset(machine: Machine, path: str, quick: bool, announce: Announce) -> DataSet:
    """
    Resolve the devices, sample the files, read a few of them cold.

    `quick` looks for a shorter time and reads no file. Raises `UnreadableError` where the
    path does not answer as one that exists: ``no such directory``.
    """
    machine.require_linux()
    try:
        full = make_absolute(machine, path, announce)
        real = resolve_links(machine, full, announce)
        announce(f"stat {escape_path(real)}")
        machine.map_path(real).stat()
    except OSError as error:
        raise UnreadableError(build_error_fields(error)["error"]) from error
    seen = walk_dataset(
        machine.map_path(real),
        announce,
        timeout=QUICK_TIMEOUT if quick else WALK_TIMEOUT,
    )
    known = _find_storage(machine, real)
    unknown: dict[str, str] = known.pop("unknown")
    if not seen.files:
        unknown["cold_read"] = "there is no regular file in it"
    elif quick:
        unknown["cold_read"] = "--quick: no file is read"
    else:
        known |= _try_cold_read(machine, seen, unknown, announce)
    return DataSet(path=escape_path(full), sample=seen.sample, unknown=unknown, **known)


def _find_storage(machine: Machine, real: str) -> dict[str, Any]:
    """Mount, stack and disks, as far as mountinfo and sysfs tell."""
    table = mounts(machine)
    mount = find_mount(real, table)
    if mount is None:
        reason = "mountinfo lists no mount for it"
        return {"unknown": {"mount": reason, "disks": reason}}
    found = find_disks(machine, mount, table)
    return {
        "mount": mount,
        "stack": tuple(found.stack),
        "disks": tuple(found.disks),
        "unknown": {"disks": found.unknown} if found.unknown else {},
    }


def _try_cold_read(
    machine: Machine, walk: DatasetWalk, unknown: dict[str, str], announce: Announce
) -> dict[str, Any]:
    try:
        return {"cold_read": cold_read(machine, walk.files, announce)}
    except UnreadableError as reason:
        unknown["cold_read"] = str(reason)
        return {}
