"""Every kind of stack between a mount and its disks, from made-up sysfs trees."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipedoctor.collect.disks import DiskStack, find_disks
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import find_mount, mounts
from pipedoctor.facts import Disk

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


@pytest.fixture
def sysfs(tmp_path: Path) -> Sysfs:
    return Sysfs(tmp_path)


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


def test_sata_hard_disk(sysfs: Sysfs) -> None:
    partition(sysfs, sata(sysfs), "8:1")
    sysfs.mountinfo("1 0 8:1 / /data rw - ext4 /dev/sda1 rw")

    found = sysfs.under()

    assert found.stack == ["sda1", "sda"]
    assert found.disks == [
        Disk(
            name="sda",
            transport="sata",
            rotational=True,
            model="WDC WD40EFRX",
            read_ahead=131072,
            scheduler="mq-deadline",
        )
    ]
    assert found.unknown == ""


def test_sata_ssd(sysfs: Sysfs) -> None:
    sata(sysfs, turns=0)
    sysfs.mountinfo("1 0 8:0 / /data rw - ext4 /dev/sda rw")

    assert sysfs.under().disks[0].rotational is False


@pytest.mark.parametrize(
    ("place", "transport", "remote"),
    [
        ("pci0000:00/0000:00:02.0/virtio1/block/vda", "virtio", False),
        (
            "pci0000:00/0000:00:04.0/virtio3/host2/target2:0:1/block/sda",
            "virtio",
            False,
        ),
        ("vbd-51712/block/xvda", "xen", False),
        ("LNXSYSTM:00/VMBUS:00/f8b3/host0/target0:0:0/block/sda", "hyperv", False),
        ("pci0000:00/usb2/2-1/2-1:1.0/host6/target6:0:0/block/sda", "usb", False),
        ("pci0/host1/port-1:0/end_device-1:0/target1:0:0/block/sda", "sas", False),
        ("pci0/host0/target0:2:0/0:2:0:0/block/sda", "scsi", False),
        ("platform/host5/session1/target5:0:0/5:0:0:1/block/sdb", "iscsi", True),
        ("pci0/host7/rport-7:0-2/target7:0:0/7:0:0:3/block/sdc", "fc", True),
        ("platform/mmc_host/mmc0/mmc0:0001/block/mmcblk0", "mmc", False),
        ("LNXSYSTM:00/ndbus0/region0/namespace0.0/block/pmem0", "pmem", False),
        ("virtual/block/zram0", "memory", False),
        ("virtual/block/ram0", "memory", False),
        ("rbd/0/block/rbd0", "rbd", True),
        ("virtual/block/nbd0", "nbd", True),
        ("virtual/block/drbd0", "drbd", True),
        ("virtual/block/whatever0", "", False),
        ("virtual/block/0", "", False),
    ],
)
def test_transport_by_place_or_name(sysfs: Sysfs, place: str, transport: str, remote: bool) -> None:
    sysfs.device("99:0", place)
    sysfs.mountinfo("1 0 99:0 / /data rw - ext4 /dev/x rw")

    (disk,) = sysfs.under().disks

    assert (disk.transport, disk.remote) == (transport, remote)
    assert disk == Disk(
        name=Path(place).name, transport=transport, remote=remote
    )  # and nothing that nobody could read


@pytest.mark.parametrize("model", ["QEMU HARDDISK", "VBOX HARDDISK", "Virtual Disk"])
def test_disk_that_a_hypervisor_made_up(sysfs: Sysfs, model: str) -> None:
    place = f"{PCI}/ata1/host0/target0:0:0/0:0:0:0/block/sda"
    sysfs.device("8:0", place, device__model=model, queue__rotational=1)
    sysfs.mountinfo("1 0 8:0 / /data rw - ext4 /dev/sda rw")

    assert sysfs.under().disks[0].transport == "virtual"


def nvme(sysfs: Sysfs, fabric: str, model: str = "Samsung") -> Disk:
    controller = sysfs.root / "sys/devices/pci0/nvme/nvme0"
    sysfs.write(controller / "transport", fabric)
    sysfs.write(controller / "model", model)
    device = sysfs.device("259:0", "pci0/nvme/nvme0/nvme0n1", queue__rotational=0)
    (device / "device").symlink_to(controller)
    sysfs.mountinfo("1 0 259:0 / /data rw - ext4 /dev/nvme0n1 rw")
    (disk,) = sysfs.under().disks
    return disk


@pytest.mark.parametrize(
    ("fabric", "transport", "remote"),
    [
        ("pcie", "nvme", False),
        ("tcp", "nvme-tcp", True),
        ("rdma", "nvme-rdma", True),
        ("fc", "nvme-fc", True),
        ("loop", "nvme-loop", False),
        ("", "nvme", False),
    ],
)
def test_nvme(sysfs: Sysfs, fabric: str, transport: str, remote: bool) -> None:
    disk = nvme(sysfs, fabric)

    assert (disk.transport, disk.remote) == (transport, remote)
    assert disk.rotational is False


@pytest.mark.parametrize(
    ("model", "remote"),
    [
        ("Amazon Elastic Block Store", True),
        ("Amazon EC2 NVMe Instance Storage", False),
        ("nvme_card-pd", True),
        ("MSFT NVMe Accelerator v1.0", True),
    ],
)
def test_cloud_volume_that_looks_local(sysfs: Sysfs, model: str, remote: bool) -> None:
    disk = nvme(sysfs, "pcie", model)

    assert (disk.model, disk.transport, disk.remote) == (model, "nvme", remote)


def test_nvme_with_several_paths(sysfs: Sysfs) -> None:
    subsystem = sysfs.root / "sys/devices/virtual/nvme-subsystem/nvme-subsys0"
    sysfs.write(subsystem / "nvme0/transport", "tcp")
    sysfs.write(subsystem / "model", "Linux")
    device = sysfs.device("259:0", "virtual/nvme-subsystem/nvme-subsys0/nvme0n1")
    (device / "device").symlink_to(subsystem)
    sysfs.mountinfo("1 0 259:0 / /data rw - xfs /dev/nvme0n1 rw")

    assert sysfs.under().disks[0].transport == "nvme-tcp"


def test_luks_on_lvm_on_a_mirror(sysfs: Sysfs) -> None:
    first, second = sata(sysfs), sata(sysfs, "sdb", "8:16")
    one, two = partition(sysfs, first, "8:1"), partition(sysfs, second, "8:17")
    mirror = sysfs.device("9:0", "virtual/block/md0", md__level="raid1")
    sysfs.above(mirror, one, two)
    volume = sysfs.device("253:0", "virtual/block/dm-0", dm__uuid="LVM-abc")
    sysfs.above(volume, mirror)
    crypt = sysfs.device("253:1", "virtual/block/dm-1", dm__uuid="CRYPT-LUKS2-x-data")
    sysfs.above(crypt, volume)
    sysfs.mountinfo("1 0 253:1 / /data rw - ext4 /dev/mapper/data rw")

    found = sysfs.under()

    assert found.stack == [
        *("dm-1 (crypt)", "dm-0 (lvm)", "md0 (raid1)"),
        *("sda1", "sda", "sdb1", "sdb"),
    ]
    assert [disk.name for disk in found.disks] == ["sda", "sdb"]


@pytest.mark.parametrize(
    ("files", "word"),
    [
        ({"dm__uuid": "mpath-360"}, "multipath"),
        ({"dm__uuid": "part1-mpath-360", "dm__name": "mpatha1"}, "mpatha1"),
        ({"dm__uuid": "OTHER-1"}, "OTHER"),
        ({}, "layered"),
    ],
)
def test_name_of_a_layer(sysfs: Sysfs, files: dict[str, str], word: str) -> None:
    layer = sysfs.device("253:0", "virtual/block/dm-0", **files)
    sysfs.above(layer, sata(sysfs))
    sysfs.mountinfo("1 0 253:0 / /data rw - ext4 /dev/mapper/x rw")

    assert sysfs.under().stack == [f"dm-0 ({word})", "sda"]


def test_both_paths_to_one_disk_count_once(sysfs: Sysfs) -> None:
    disk = sata(sysfs)
    top = sysfs.device("253:0", "virtual/block/dm-0", dm__uuid="LVM-x")
    lower = sysfs.device("253:1", "virtual/block/dm-1", dm__uuid="LVM-y")
    sysfs.above(lower, disk)
    sysfs.above(top, lower, disk)
    sysfs.mountinfo("1 0 253:0 / /data rw - ext4 /dev/mapper/x rw")

    assert [found.name for found in sysfs.under().disks] == ["sda"]


def test_devices_in_a_circle_end(sysfs: Sysfs) -> None:
    one = sysfs.device("253:0", "virtual/block/dm-0", dm__uuid="LVM-x")
    two = sysfs.device("253:1", "virtual/block/dm-1", dm__uuid="LVM-y")
    sysfs.above(one, two)
    sysfs.above(two, one)
    sysfs.mountinfo("1 0 253:0 / /data rw - ext4 /dev/mapper/x rw")

    assert len(sysfs.under().stack) == 13


def test_slave_that_sysfs_does_not_know(sysfs: Sysfs) -> None:
    layer = sysfs.device("253:0", "virtual/block/dm-0", dm__uuid="LVM-x")
    sysfs.above(layer, sysfs.root / "nowhere/sdz")
    sysfs.mountinfo("1 0 253:0 / /data rw - ext4 /dev/mapper/x rw")

    found = sysfs.under()

    assert found.stack == ["dm-0 (lvm)", "sdz"]
    assert found.unknown == "/sys/class/block has no sdz"


def test_loop_on_ext4(sysfs: Sysfs) -> None:
    sata(sysfs)
    sysfs.device("7:0", "virtual/block/loop0", loop__backing_file="/images/a.sqsh")
    sysfs.mountinfo(
        "1 0 8:0 / / rw - ext4 /dev/sda rw",
        "2 1 7:0 / /data ro - squashfs /dev/loop0 ro",
    )

    found = sysfs.under()

    assert found.stack == ["loop0 (/images/a.sqsh)", "sda"]
    assert [disk.name for disk in found.disks] == ["sda"]


def test_loop_whose_file_lies_nowhere(sysfs: Sysfs) -> None:
    sysfs.device("7:0", "virtual/block/loop0", loop__backing_file="/images/a.sqsh")
    sysfs.mountinfo("2 1 7:0 / /data ro - squashfs /dev/loop0 ro")

    assert sysfs.under().stack == ["loop0 (/images/a.sqsh)"]


def test_btrfs_on_two_devices(sysfs: Sysfs) -> None:
    one = sata(sysfs)
    two = sata(sysfs, "sdb", "8:16")
    (sysfs.root / "dev").mkdir()
    for device in (one, two):
        sysfs.link("sys/fs/btrfs/0f-ab/devices", device.name, device)
    sysfs.mountinfo("1 0 0:40 /@data /data rw - btrfs /dev/sda rw,subvol=/@data")

    found = sysfs.under()

    assert found.stack == ["btrfs", "sda", "sdb"]
    assert [disk.name for disk in found.disks] == ["sda", "sdb"]


def test_btrfs_that_sysfs_does_not_list(sysfs: Sysfs) -> None:
    sata(sysfs)
    (sysfs.root / "sys/fs/btrfs/features/devices").mkdir(parents=True)
    sysfs.mountinfo("1 0 0:40 / /data rw - btrfs /dev/sda rw")

    assert sysfs.under().stack == ["btrfs", "sda"]


def test_device_mapper_by_the_name_of_its_source(sysfs: Sysfs) -> None:
    layer = sysfs.device("253:0", "virtual/block/dm-0", dm__uuid="LVM-x", dm__name="v")
    sysfs.above(layer, sata(sysfs))
    sysfs.mountinfo("1 0 0:40 / /data rw - btrfs /dev/mapper/v rw")

    assert sysfs.under().stack == ["btrfs", "dm-0 (lvm)", "sda"]


def test_source_by_a_link_of_udev(sysfs: Sysfs) -> None:
    sata(sysfs)
    sysfs.write(sysfs.root / "dev/sda", "")
    (sysfs.root / "dev/disk").symlink_to("sda")
    sysfs.mountinfo("1 0 0:40 / /data rw - bcachefs /dev/disk:/dev/sda rw")

    found = sysfs.under()

    assert found.stack == ["sda", "sda"]
    assert len(found.disks) == 1


OVERLAY = (
    "1 0 0:50 / / rw - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A:"
    "/var/lib/docker/overlay2/l/B,upperdir=/var/lib/docker/overlay2/c/diff"
)


def test_overlay_in_docker_by_the_files_beside_its_layers(sysfs: Sysfs) -> None:
    sata(sysfs)
    sysfs.mountinfo(
        OVERLAY,
        "2 1 8:0 /somewhere /etc/hostname rw - ext4 /dev/sda rw",
        "3 1 8:0 /var/lib/docker/containers/c/hosts /etc/hosts rw - ext4 /dev/sda rw",
    )

    found = sysfs.under("/data")

    assert found.stack == ["overlay", "sda"]
    assert found.unknown == ""


@pytest.mark.parametrize(
    "other",
    [
        pytest.param("", id="no file bound"),
        pytest.param(
            "\n3 1 8:0 /var/lib/kubelet/pods/x /etc/hosts rw - ext4 /dev/sda rw",
            id="a file of somebody else",
        ),
        pytest.param(
            "\n3 1 8:0 /var/lib/docker/containers/c/x /x rw - ext4 /dev/sda rw",
            id="a file that Docker does not bind",
        ),
    ],
)
def test_overlay_whose_layers_lie_outside(sysfs: Sysfs, other: str) -> None:
    sata(sysfs)
    sysfs.mountinfo(OVERLAY + other)

    found = sysfs.under("/data")

    assert found.stack == ["overlay"]
    assert found.unknown == "the layers of the container lie outside of it"


def test_overlay_seen_from_the_host(sysfs: Sysfs) -> None:
    sata(sysfs)
    sysfs.mountinfo(
        "1 0 8:0 / / rw - ext4 /dev/sda rw",
        "2 1 0:50 / /data ro - overlay overlay ro,lowerdir=/images/top:/images/base",
    )

    assert sysfs.under("/data").stack == ["overlay", "sda"]


def test_overlay_that_says_nothing(sysfs: Sysfs) -> None:
    sysfs.mountinfo("1 0 0:50 / / rw - overlay overlay rw")

    assert sysfs.under("/").unknown


@pytest.mark.parametrize(
    ("line", "stack"),
    [
        ("0:60 / /data rw - nfs4 filer:/export rw", ["nfs4 filer:/export"]),
        ("0:60 / /data rw - fuse.s3fs s3fs rw", ["fuse.s3fs s3fs"]),
        ("0:60 / /data rw - 9p C:\\134 rw,aname=drvfs", ["9p C:\\"]),
        ("0:60 / /data rw - tmpfs tmpfs rw", ["tmpfs"]),
        ("0:60 / /data rw - tmpfs none rw", ["tmpfs"]),
        ("8:77 / /data rw - ext4 gone rw", ["ext4 gone"]),
    ],
)
def test_no_block_device_below(sysfs: Sysfs, line: str, stack: list[str]) -> None:
    sysfs.mountinfo(f"1 0 {line}")

    assert sysfs.under() == DiskStack(stack=stack)


def test_zfs_keeps_its_disks_to_itself(sysfs: Sysfs) -> None:
    sysfs.mountinfo("1 0 0:61 / /data rw - zfs tank/data rw")

    found = sysfs.under()

    assert found.stack == ["zfs tank/data"]
    assert found.unknown == "only `zpool status` names the disks of a pool"


def test_bind_mount_is_on_the_same_disk(sysfs: Sysfs) -> None:
    sata(sysfs)
    sysfs.mountinfo(
        "1 0 0:5 / / rw - tmpfs tmpfs rw",
        "2 1 8:0 /srv/photos /data rw - xfs /dev/sda rw",
    )

    assert sysfs.under().stack == ["sda"]


def test_this_machine() -> None:
    machine = Machine()
    table = mounts(machine)
    root = find_mount(os.path.realpath("."), table)
    if root is None:
        pytest.skip("no mountinfo here")

    assert find_disks(machine, root, table).stack
