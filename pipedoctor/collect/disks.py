"""Walk from a mount down to the disks: overlay, btrfs, loop, dm, md, partitions."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipedoctor.collect.blockdevice import disk
from pipedoctor.collect.machine import Machine, read_or
from pipedoctor.collect.mounts import mount_of
from pipedoctor.facts import Disk, Mount

_DEEPEST = 12
_DM = {"CRYPT": "crypt", "LVM": "lvm", "mpath": "multipath"}
_BOUND = ("/etc/hosts", "/etc/hostname", "/etc/resolv.conf")
"""Files that Docker keeps beside its layers and binds into every container."""


@dataclass
class Under:
    """What lies under a mount, top first; `unknown` says where the trail ends."""

    stack: list[str] = field(default_factory=list[str])
    disks: list[Disk] = field(default_factory=list[Disk])
    unknown: str = ""


def under(machine: Machine, mount: Mount, mounts: Sequence[Mount]) -> Under:
    """Find the devices of a mount; sysfs and mountinfo only, so it never hangs."""
    found = Under()
    _Descent(machine, mounts, found).mount(mount, _DEEPEST)
    return found


@dataclass
class _Descent:
    machine: Machine
    mounts: Sequence[Mount]
    found: Under

    def mount(self, mount: Mount, depth: int) -> None:
        """Go below a mount: by its device number, else as its file system says."""
        number = self.machine.root / "sys/dev/block" / mount.device
        if not mount.device.startswith("0:") and number.exists():
            self.block(_real(number), depth)
        elif mount.fstype in {"overlay", "aufs"}:
            self.overlay(mount, depth)
        elif names := list(self._sources(mount)):
            if mount.fstype == "btrfs":
                self.found.stack.append("btrfs")
            for name in names:
                self.named(name, depth)
        else:
            source = "" if mount.source in {mount.fstype, "none"} else mount.source
            self.found.stack.append(f"{mount.fstype} {source}".strip())
            if mount.fstype == "zfs":
                self.found.unknown = "only `zpool status` names the disks of a pool"

    def overlay(self, mount: Mount, depth: int) -> None:
        """Follow the upper, else the first lower layer; in a container: its sibling."""
        self.found.stack.append(mount.fstype)
        below = mount_of(_layer(mount), self.mounts) if _layer(mount) else None
        if below is None or below.fstype in {"overlay", "aufs"} or not depth:
            below = self._beside(_layer(mount))
        if below is None:
            self.found.unknown = "the layers of the container lie outside of it"
        else:
            self.mount(below, depth - 1)

    def named(self, name: str, depth: int) -> None:
        """Go below a block device that is known by its kernel name."""
        link = self.machine.root / "sys/class/block" / name
        if link.exists():
            self.block(_real(link), depth)
        else:
            self.found.stack.append(name)
            self.found.unknown = f"/sys/class/block has no {name}"

    def block(self, device: Path, depth: int) -> None:
        """Go below a block device; one with nothing below is a disk."""
        name = device.name
        lower = sorted(_names(device / "slaves"))
        backing = read_or(device / "loop/backing_file").strip()
        if (device / "partition").exists() and depth:
            self.found.stack.append(name)
            self.block(device.parent, depth - 1)
        elif lower and depth:
            self.found.stack.append(f"{name} ({_layered(device)})")
            for slave in lower:
                self.named(slave, depth - 1)
        elif backing and depth:
            self.found.stack.append(f"{name} ({backing})")
            self._file(backing, depth - 1)
        else:
            self.found.stack.append(name)
            if name not in {known.name for known in self.found.disks}:
                self.found.disks.append(disk(device))

    def _file(self, path: str, depth: int) -> None:
        """Go below the file that a loop device shows."""
        below = mount_of(path, self.mounts)
        if below is not None:
            self.mount(below, depth)

    def _sources(self, mount: Mount) -> Iterator[str]:
        """Kernel names of the devices that an anonymous mount names itself."""
        for source in mount.source.split(":"):
            if source.startswith("/dev/"):
                name = self._kernel_name(source)
                yield from self._btrfs(name) if mount.fstype == "btrfs" else (name,)

    def _kernel_name(self, device: str) -> str:
        """Turn ``/dev/mapper/data`` or another link of udev's into ``dm-3``."""
        mapped = device.removeprefix("/dev/mapper/")
        for file in (self.machine.root / "sys/class/block").glob("dm-*/dm/name"):
            if mapped != device and read_or(file).strip() == mapped:
                return file.parent.parent.name
        return Path(os.path.realpath(self.machine.inside(device))).name

    def _btrfs(self, name: str) -> list[str]:
        """All devices of the btrfs that this one belongs to."""
        for folder in (self.machine.root / "sys/fs/btrfs").glob("*/devices"):
            if name in (members := sorted(_names(folder))):
                return members
        return [name]

    def _beside(self, layer: str) -> Mount | None:
        """The mount of a file that Docker keeps in the folder of this layer."""
        home = layer.partition("/overlay2/")[0]
        for mount in self.mounts:
            kept = mount.root.startswith(f"{home}/containers/")
            if mount.point in _BOUND and home and kept:
                return mount
        return None


def _layer(mount: Mount) -> str:
    options = {o.partition("=")[0]: o.partition("=")[2] for o in mount.options}
    return options.get("upperdir") or options.get("lowerdir", "").partition(":")[0]


def _layered(device: Path) -> str:
    """What kind of layer a device with others below it is."""
    uuid = read_or(device / "dm/uuid").strip()
    if uuid:
        prefix = uuid.partition("-")[0]
        return _DM.get(prefix, read_or(device / "dm/name").strip() or prefix)
    return read_or(device / "md/level").strip() or "layered"


def _names(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir()]
    except OSError:
        return []


def _real(link: Path) -> Path:
    """Sysfs has no links that could hang or leave it."""
    return Path(os.path.realpath(link))
