"""A /sys/class/block to read disks from."""

from dataclasses import dataclass
from pathlib import Path

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import find_mount, mounts
from pipedoctor.collect.storage.disks import DiskStack, find_disks

PCI = "pci0000:00/0000:00:1f.2"


@dataclass
class Sysfs:
    """A machine whose devices are files that a test writes."""

    root: Path

    def device(self, number: str, place: str, **files: object) -> Path:
        """A block device at this place below /sys/devices, with these attributes."""
        folder = self.root / "sys/devices" / place
        folder.mkdir(parents=True, exist_ok=True)
        self.link("sys/dev/block", number, folder)
        self.link("sys/class/block", folder.name, folder)
        for name, value in files.items():
            self.write(folder / name.replace("__", "/"), value)
        return folder

    def link(self, folder: str, name: str, target: Path) -> None:
        (self.root / folder).mkdir(parents=True, exist_ok=True)
        (self.root / folder / name).symlink_to(target)

    def write(self, file: Path, value: object) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{value}\n", encoding="utf-8")

    def above(self, layer: Path, *below: Path) -> None:
        """Say that this device is made of those."""
        (layer / "slaves").mkdir()
        for device in below:
            (layer / "slaves" / device.name).symlink_to(device)

    def mountinfo(self, *lines: str) -> None:
        self.write(self.root / "proc/self/mountinfo", "\n".join(lines))

    def under(self, path: str = "/data") -> DiskStack:
        machine = Machine(root=self.root, environ={})
        table = mounts(machine)
        mount = find_mount(path, table)
        assert mount is not None
        return find_disks(machine, mount, table)


def sata(sysfs: Sysfs, name: str = "sda", number: str = "8:0", turns: int = 1) -> Path:
    place = f"{PCI}/ata1/host0/target0:0:0/0:0:0:0/block/{name}"
    return sysfs.device(
        number,
        place,
        queue__rotational=turns,
        queue__read_ahead_kb=128,
        queue__scheduler="none [mq-deadline] bfq",
        device__model="WDC  WD40EFRX ",
    )


def partition(sysfs: Sysfs, disk: Path, number: str) -> Path:
    place = disk.relative_to(sysfs.root / "sys/devices")
    return sysfs.device(number, f"{place}/{disk.name}1", partition=1)
