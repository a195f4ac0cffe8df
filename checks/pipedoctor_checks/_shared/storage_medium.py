"""What a dataset is stored on, in words and with the appropriate doubts."""

import msgspec

from pipedoctor.facts import DataSet, Disk, Filesystem, Filesystems

SLOW_KINDS = {
    "network": "a network file system",
    "network_parallel": "a cluster file system",
    "fuse_object": "an object store behind FUSE",
    "fuse_network": "a network file system behind FUSE",
    "vm_shared": "a directory shared by the host",
}
TRUSTED_TRANSPORTS = frozenset({"sata", "sas"})
"""Transports for which the kernel's rotational flag is reliable."""
SSD_TRANSPORTS = frozenset({"nvme", "sata", "sas", "pmem"})


class StorageMedium(msgspec.Struct, frozen=True):
    """What a dataset is stored on; `slow` and `fast` may both be false: unknown."""

    words: str
    slow: bool = False
    fast: bool = False
    row: Filesystem | None = None

    @property
    def is_host_share(self) -> bool:
        """Is it a share of the host: known to be slow for files of any size?"""
        return self.row is not None and self.row.kind == "vm_shared"


def identify_medium(entry: DataSet, table: Filesystems) -> StorageMedium:
    """Identify what a dataset is stored on, by its file system first, then by its disks."""
    mount = entry.mount
    row = table.find_by_mount(mount) if mount else None
    if mount and row and row.kind in SLOW_KINDS:
        words = f"{mount.fstype} {mount.source}, {SLOW_KINDS[row.kind]}"
        return StorageMedium(words, slow=True, row=row)
    if row and row.kind == "memory":
        return StorageMedium("memory", fast=True, row=row)
    names = ", ".join(disk.name for disk in entry.disks)
    if entry.disks and any(map(_is_hard_disk, entry.disks)):
        return StorageMedium(f"a hard disk ({names})", slow=True, row=row)
    if entry.disks and all(map(is_ssd, entry.disks)):
        return StorageMedium(f"a solid-state disk ({names})", fast=True, row=row)
    return StorageMedium(names or (mount.fstype if mount else "storage"), row=row)


def is_ssd(disk: Disk) -> bool:
    """A local disk without moving parts, regardless of how it is attached."""
    return disk.rotational is False and disk.transport in SSD_TRANSPORTS and not disk.remote


def _is_hard_disk(disk: Disk) -> bool:
    return disk.rotational is True and disk.transport in TRUSTED_TRANSPORTS and not disk.remote
