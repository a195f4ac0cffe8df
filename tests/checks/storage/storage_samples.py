"""Datasets, disks and folders for the tests of storage."""

from typing import Any

from pipedoctor.check import Finding
from pipedoctor.facts import (
    ColdRead,
    DataSet,
    DataSets,
    Disk,
    Facts,
    Filesystem,
    Filesystems,
    Memory,
    Mount,
    PathFact,
    Paths,
    Sample,
    Site,
)
from pipedoctor.units import GiB, KiB, MiB
from pipedoctor_checks.storage.slow_storage import slow_storage

BARE = Site(system="linux")


def row(fstype: str, kind: str, advice: str = "") -> Filesystem:
    return Filesystem(fstype=fstype, kind=kind, advice=advice, source="test", checked="2026-11-21")


TABLE = Filesystems(
    rows=(
        row("ext4", "local", "measure"),
        row("tmpfs", "memory"),
        row("nfs4", "network", "check rsize"),
        row("9p", "vm_shared"),
    )
)

HDD = Disk(name="sda", transport="sata", rotational=True, model="WD Red")

SSD = Disk(name="sdb", transport="sata", rotational=False)

NVME = Disk(name="nvme0n1", transport="nvme", rotational=False)

VIRTIO = Disk(name="vda", transport="virtio", rotational=True)

EBS = Disk(name="nvme1n1", transport="nvme", rotational=False, remote=True)

PICTURES = Sample(files=20_000, bytes=20_000 * 100 * KiB, complete=True, seconds=0.1)

SHARDS = Sample(files=100, bytes=100 * GiB, complete=True, seconds=0.01)


def reads(small: float | None = None, large: float | None = None, **more: Any) -> ColdRead:
    """A cold read with these rates: files/s of small files, bytes/s of large ones."""
    given: dict[str, Any] = {"files": 100, "bytes": MiB, "seconds": 1.0, "cold": True}
    if small:
        given |= {"small_files": 100, "small_seconds": 100 / small}
    if large:
        given |= {"large_bytes": 64 * MiB, "large_seconds": 64 * MiB / large}
    return ColdRead(open_seconds=0.1, **(given | more))


def on(fstype: str, *disks: Disk, sample: Sample | None = PICTURES, **more: Any) -> Any:
    mount = Mount(point="/data", fstype=fstype, source="filer:/x")
    given: dict[str, Any] = {"unknown": {"cold_read": "--quick: no file is read"}}
    return DataSet(path="/data/x", mount=mount, disks=disks, sample=sample, **(given | more))


def judged(entry: DataSet, *facts: Any, **settings: Any) -> list[Finding]:
    """Judge one dataset, with these of the optional facts."""
    known = Facts(DataSets(entries=(entry,)), TABLE, BARE, *facts)
    verdict = slow_storage.run(known, **settings)
    assert not verdict.skipped, verdict.skipped
    return list(verdict.findings)


SCRATCH = PathFact(
    role="scratch",
    path="/local",
    named_by="SLURM_TMPDIR",
    exists=True,
    writable=True,
    free=500 * GiB,
    inodes_free=10**8,
    disks=(NVME,),
)


def scratch(**changes: Any) -> Paths:
    fields = {name: getattr(SCRATCH, name) for name in PathFact.__struct_fields__}
    return Paths(entries=(PathFact(**(fields | changes)),))


def memory(room: int) -> Memory:
    return Memory(total=room, available=room)
