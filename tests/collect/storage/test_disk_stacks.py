"""Layers above disks: LUKS, LVM, RAID, loops, btrfs, overlay."""

import pytest

from pipedoctor.collect.storage.disks import DiskStack
from tests.collect.storage.block_devices import Sysfs, partition, sata


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
