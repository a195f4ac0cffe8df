"""What a data set lies on, in the words and with the doubts that it deserves."""

import msgspec

from pipedoctor.facts import DataSet, Disk, Filesystem, Filesystems

SLOW_KINDS = {
    "network": "a network file system",
    "network_parallel": "a cluster file system",
    "fuse_object": "an object store behind FUSE",
    "fuse_network": "a network file system behind FUSE",
    "vm_shared": "a folder shared by the host",
}
HONEST = frozenset({"sata", "sas"})
"""Attachments on which the kernel's word for a rotating disk can be believed."""
SOLID = frozenset({"nvme", "sata", "sas", "pmem"})


class Medium(msgspec.Struct, frozen=True):
    """What a data set lies on; `slow` and `fast` can both be false: nobody knows."""

    words: str
    slow: bool = False
    fast: bool = False
    row: Filesystem | None = None

    @property
    def shared(self) -> bool:
        """Is it a share of the host: known to be slow for files of any size?"""
        return self.row is not None and self.row.kind == "vm_shared"


def medium(entry: DataSet, table: Filesystems) -> Medium:
    """Name what lies under a data set, by its file system first, then by its disks."""
    mount = entry.mount
    row = table.of(mount) if mount else None
    if mount and row and row.kind in SLOW_KINDS:
        words = f"{mount.fstype} {mount.source}, {SLOW_KINDS[row.kind]}"
        return Medium(words, slow=True, row=row)
    if row and row.kind == "memory":
        return Medium("memory", fast=True, row=row)
    names = ", ".join(disk.name for disk in entry.disks)
    if entry.disks and any(map(_hard_disk, entry.disks)):
        return Medium(f"a hard disk ({names})", slow=True, row=row)
    if entry.disks and all(map(solid, entry.disks)):
        return Medium(f"a solid-state disk ({names})", fast=True, row=row)
    return Medium(names or (mount.fstype if mount else "storage"), row=row)


def solid(disk: Disk) -> bool:
    """A local disk without moving parts, whatever it is attached to."""
    return disk.rotational is False and disk.transport in SOLID and not disk.remote


def _hard_disk(disk: Disk) -> bool:
    return disk.rotational is True and disk.transport in HONEST and not disk.remote
