"""Survey the storage under a data set: its mount and disks, its files, their speed."""

from typing import Any

from pipedoctor.collect.coldread import cold_read
from pipedoctor.collect.disks import under
from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import legible, mount_of, mounts
from pipedoctor.collect.paths import absolute, failure
from pipedoctor.collect.resolve import resolve
from pipedoctor.collect.sample import PATIENCE, Walk, walk
from pipedoctor.facts import DataSet, Unreadable

QUICK_PATIENCE = 0.2


def dataset(machine: Machine, path: str, quick: bool, announce: Announce) -> DataSet:
    """
    Resolve the devices, sample the files, read a few of them cold.

    `quick` looks for a shorter time and reads no file. Raises `Unreadable` where the
    path does not answer as one that exists: ``no such directory``.
    """
    machine.linux()
    try:
        full = absolute(machine, path, announce)
        real = resolve(machine, full, announce)
        announce(f"stat {legible(real)}")
        machine.inside(real).stat()
    except OSError as error:
        raise Unreadable(failure(error)["error"]) from error
    seen = walk(
        machine.inside(real), announce, patience=QUICK_PATIENCE if quick else PATIENCE
    )
    known = _storage(machine, real)
    unknown: dict[str, str] = known.pop("unknown")
    if not seen.files:
        unknown["cold_read"] = "there is no regular file in it"
    elif quick:
        unknown["cold_read"] = "--quick: no file is read"
    else:
        known |= _cold(machine, seen, unknown, announce)
    return DataSet(path=legible(full), sample=seen.sample, unknown=unknown, **known)


def _storage(machine: Machine, real: str) -> dict[str, Any]:
    """Mount, stack and disks, as far as mountinfo and sysfs tell."""
    table = mounts(machine)
    mount = mount_of(real, table)
    if mount is None:
        reason = "mountinfo does not say on which mount it lies"
        return {"unknown": {"mount": reason, "disks": reason}}
    found = under(machine, mount, table)
    return {
        "mount": mount,
        "stack": tuple(found.stack),
        "disks": tuple(found.disks),
        "unknown": {"disks": found.unknown} if found.unknown else {},
    }


def _cold(
    machine: Machine, seen: Walk, unknown: dict[str, str], announce: Announce
) -> dict[str, Any]:
    try:
        return {"cold_read": cold_read(machine, seen.files, announce)}
    except Unreadable as reason:
        unknown["cold_read"] = str(reason)
        return {}
