"""Every kind of stack between a mount and its disks, from made-up sysfs trees."""

import os
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import find_mount, mounts
from pipedoctor.collect.storage.disks import find_disks
from pipedoctor.facts import Disk
from tests.collect.storage.block_devices import PCI, Sysfs, partition, sata


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


def test_this_machine() -> None:
    machine = Machine()
    table = mounts(machine)
    root = find_mount(os.path.realpath("."), table)
    if root is None:
        pytest.skip("no mountinfo here")

    assert find_disks(machine, root, table).stack
