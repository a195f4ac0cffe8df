"""Walk from a mount down to the disks: overlay, btrfs, loop, dm, md, partitions."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.collect.mounts import find_mount
from pipedoctor.collect.storage.blockdevice import read_disk
from pipedoctor.facts import Disk, Mount

_MAX_DEPTH = 12
_DM_KINDS = {"CRYPT": "crypt", "LVM": "lvm", "mpath": "multipath"}
_BOUND_FILES = ("/etc/hosts", "/etc/hostname", "/etc/resolv.conf")
"""Files that Docker keeps beside its layers and binds into every container."""


@dataclass
class DiskStack:
    """What lies under a mount, top first; `unknown` says where the trail ends."""

    stack: list[str] = field(default_factory=list[str])
    disks: list[Disk] = field(default_factory=list[Disk])
    unknown: str = ""


def find_disks(machine: Machine, mount: Mount, mounts: Sequence[Mount]) -> DiskStack:
    """Find the devices of a mount; sysfs and mountinfo only, so it never hangs."""
    found = DiskStack()
    _DiskSearch(machine, mounts, found).search_mount(mount, _MAX_DEPTH)
    return found


@dataclass
class _DiskSearch:
    machine: Machine
    mounts: Sequence[Mount]
    result: DiskStack

    def search_mount(self, mount: Mount, depth: int) -> None:
        """Go below a mount: by its device number, else as its file system says."""
        number = self.machine.root / "sys/dev/block" / mount.device
        if not mount.device.startswith("0:") and number.exists():
            self.search_block_device(_resolve_link(number), depth)
        elif mount.fstype in {"overlay", "aufs"}:
            self.search_overlay(mount, depth)
        elif names := list(self._list_sources(mount)):
            if mount.fstype == "btrfs":
                self.result.stack.append("btrfs")
            for name in names:
                self.search_device_name(name, depth)
        else:
            source = "" if mount.source in {mount.fstype, "none"} else mount.source
            self.result.stack.append(f"{mount.fstype} {source}".strip())
            if mount.fstype == "zfs":
                self.result.unknown = "only `zpool status` names the disks of a pool"

    def search_overlay(self, mount: Mount, depth: int) -> None:
        """Follow the upper, else the first lower layer; in a container: its sibling."""
        self.result.stack.append(mount.fstype)
        below = find_mount(_get_layer_path(mount), self.mounts) if _get_layer_path(mount) else None
        if below is None or below.fstype in {"overlay", "aufs"} or not depth:
            below = self._find_sibling_mount(_get_layer_path(mount))
        if below is None:
            self.result.unknown = "the layers of the container lie outside of it"
        else:
            self.search_mount(below, depth - 1)

    def search_device_name(self, name: str, depth: int) -> None:
        """Go below a block device that is known by its kernel name."""
        link = self.machine.root / "sys/class/block" / name
        if link.exists():
            self.search_block_device(_resolve_link(link), depth)
        else:
            self.result.stack.append(name)
            self.result.unknown = f"/sys/class/block has no {name}"

    def search_block_device(self, device: Path, depth: int) -> None:
        """Go below a block device; one with nothing below is a disk."""
        name = device.name
        lower = sorted(_list_names(device / "slaves"))
        backing = read_or_default(device / "loop/backing_file").strip()
        if (device / "partition").exists() and depth:
            self.result.stack.append(name)
            self.search_block_device(device.parent, depth - 1)
        elif lower and depth:
            self.result.stack.append(f"{name} ({_describe_layer(device)})")
            for slave in lower:
                self.search_device_name(slave, depth - 1)
        elif backing and depth:
            self.result.stack.append(f"{name} ({backing})")
            self._search_backing_file(backing, depth - 1)
        else:
            self.result.stack.append(name)
            if name not in {known.name for known in self.result.disks}:
                self.result.disks.append(read_disk(device))

    def _search_backing_file(self, path: str, depth: int) -> None:
        """Go below the file that a loop device shows."""
        below = find_mount(path, self.mounts)
        if below is not None:
            self.search_mount(below, depth)

    def _list_sources(self, mount: Mount) -> Iterator[str]:
        """Kernel names of the devices that an anonymous mount names itself."""
        for source in mount.source.split(":"):
            if source.startswith("/dev/"):
                name = self._resolve_kernel_name(source)
                yield from (self._list_btrfs_devices(name) if mount.fstype == "btrfs" else (name,))

    def _resolve_kernel_name(self, device: str) -> str:
        """Turn ``/dev/mapper/data`` or another link of udev's into ``dm-3``."""
        mapped = device.removeprefix("/dev/mapper/")
        for file in (self.machine.root / "sys/class/block").glob("dm-*/dm/name"):
            if mapped != device and read_or_default(file).strip() == mapped:
                return file.parent.parent.name
        return Path(os.path.realpath(self.machine.map_path(device))).name

    def _list_btrfs_devices(self, name: str) -> list[str]:
        """All devices of the btrfs that this one belongs to."""
        for folder in (self.machine.root / "sys/fs/btrfs").glob("*/devices"):
            if name in (members := sorted(_list_names(folder))):
                return members
        return [name]

    def _find_sibling_mount(self, layer: str) -> Mount | None:
        """The mount of a file that Docker keeps in the folder of this layer."""
        home = layer.partition("/overlay2/")[0]
        for mount in self.mounts:
            kept = mount.root.startswith(f"{home}/containers/")
            if mount.point in _BOUND_FILES and home and kept:
                return mount
        return None


def _get_layer_path(mount: Mount) -> str:
    options = {o.partition("=")[0]: o.partition("=")[2] for o in mount.options}
    return options.get("upperdir") or options.get("lowerdir", "").partition(":")[0]


def _describe_layer(device: Path) -> str:
    """Name the kind of a device that is built on others."""
    uuid = read_or_default(device / "dm/uuid").strip()
    if uuid:
        prefix = uuid.partition("-")[0]
        return _DM_KINDS.get(prefix, read_or_default(device / "dm/name").strip() or prefix)
    return read_or_default(device / "md/level").strip() or "layered"


def _list_names(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir()]
    except OSError:
        return []


def _resolve_link(link: Path) -> Path:
    """Resolve a link of sysfs, where no link can hang or lead outside."""
    return Path(os.path.realpath(link))
