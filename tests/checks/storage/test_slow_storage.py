"""PDR710 trusts a measurement first, then the medium, and doubts the rest aloud."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Counterfactual, Finding, Place, Severity
from pipedoctor.facts import (
    ColdRead,
    DataSet,
    DataSets,
    Disk,
    Facts,
    Filesystem,
    Filesystems,
    Hang,
    Loader,
    Memory,
    Mount,
    PathFact,
    Paths,
    Sample,
    Shm,
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
FAR = Disk(name="sdc", transport="iscsi", rotational=True, remote=True)

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
    """Judge one data set, with these of the optional facts."""
    known = Facts(DataSets(entries=(entry,)), TABLE, BARE, *facts)
    verdict = slow_storage.run(known, **settings)
    assert not verdict.skipped, verdict.skipped
    return list(verdict.findings)


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(on("ext4", NVME), id="NVMe, not measured"),
        pytest.param(on("ext4", SSD), id="SATA SSD, not measured"),
        pytest.param(on("btrfs", SSD, NVME), id="two solid disks"),
        pytest.param(on("tmpfs"), id="memory"),
        pytest.param(on("ext4", HDD, cold_read=reads(small=150.0)), id="the boundary in files"),
        pytest.param(
            on("ext4", HDD, sample=SHARDS, cold_read=reads(large=200e6)),
            id="the boundary in bytes",
        ),
        pytest.param(on("nfs4", cold_read=reads(small=900)), id="network that is fast enough"),
        pytest.param(
            on("ext4", VIRTIO, cold_read=reads(small=5000)),
            id="virtual disk that calls itself rotating",
        ),
        pytest.param(
            on("nfs4", sample=SHARDS, cold_read=reads(small=20, large=1e9)),
            id="small files beside large shards do not matter",
        ),
        pytest.param(
            on("nfs4", cold_read=reads(small=900, large=1e6)),
            id="one large file among small ones does not matter",
        ),
    ],
)
def test_silent(entry: DataSet) -> None:
    assert judged(entry) == []


def test_measured_hard_disk_is_slow(snapshot: SnapshotAssertion) -> None:
    entry = on("ext4", HDD, stack=("sda1", "sda"), cold_read=reads(small=149.4))

    (finding,) = judged(entry)

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == ("/data/x: one reader gets 149 small files/s from a hard disk (sda)")
    assert finding.evidence == {
        "path": "/data/x",
        "stack": ["sda1", "sda"],
        "mount.fstype": "ext4",
        "disks": ["sda sata WD Red"],
        "rotational": [True],
        "scheduler": [""],
        "files": 20_000,
        "bytes": 20_000 * 100 * KiB,
        "complete": True,
        "files_per_second": 149.4,
        "cold": True,
        "fits_in_memory": False,
    }
    (remedy,) = finding.remedies
    assert remedy.title == snapshot
    assert remedy.place is Place.CODE
    assert not remedy.automatic


def test_measured_bandwidth_is_slow(snapshot: SnapshotAssertion) -> None:
    entry = on("nfs4", sample=SHARDS, cold_read=reads(large=100 * MiB))

    (finding,) = judged(entry)

    assert finding.severity is Severity.SLOWS
    assert finding.summary == snapshot
    assert finding.evidence["bytes_per_second"] == 100 * MiB
    assert [remedy.title for remedy in finding.remedies] == snapshot


@pytest.mark.parametrize(
    ("cold", "words"),
    [
        (reads(small_files=2, small_seconds=1.0), "2 small files/s"),
        (reads(large_bytes=MiB, large_seconds=1.0), "1.0 MiB/s"),
    ],
)
def test_a_second_is_enough_for_any_number_of_reads(cold: ColdRead, words: str) -> None:
    sample = PICTURES if cold.small_files else SHARDS

    (finding,) = judged(on("ext4", VIRTIO, sample=sample, cold_read=cold))

    assert finding.summary == f"/data/x: one reader gets {words} from vda"


def test_slow_even_from_a_cache_is_slow(snapshot: SnapshotAssertion) -> None:
    entry = on("ext4", VIRTIO, cold_read=reads(small=10, cold=False))

    (finding,) = judged(entry)

    assert finding.summary == snapshot
    assert finding.confidence is Confidence.CERTAIN


@pytest.mark.parametrize(
    ("entry", "severity", "words"),
    [
        pytest.param(
            on("nfs4"),
            Severity.SLOWS,
            "nfs4 filer:/x, a network file system",
            id="many small files on a network",
        ),
        pytest.param(
            on("nfs4", sample=SHARDS),
            Severity.NOTE,
            "nfs4 filer:/x, a network file system",
            id="large files on a network",
        ),
        pytest.param(
            on("9p", sample=SHARDS),
            Severity.SLOWS,
            "9p filer:/x, a directory shared by the host",
            id="WSL's /mnt/c is slow for anything",
        ),
        pytest.param(
            on("ext4", HDD),
            Severity.SLOWS,
            "a hard disk (sda)",
            id="many small files on a hard disk",
        ),
        pytest.param(
            on("btrfs", SSD, HDD),
            Severity.SLOWS,
            "a hard disk (sdb, sda)",
            id="a hard disk beside a solid one",
        ),
        pytest.param(
            on("nfs4", cold_read=reads(small=5000, cold=False)),
            Severity.SLOWS,
            "nfs4 filer:/x, a network file system",
            id="fast, but out of a cache",
        ),
    ],
)
def test_medium_is_judged_without_a_measurement(
    entry: DataSet, severity: Severity, words: str
) -> None:
    (finding,) = judged(entry)

    assert finding.severity is severity
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == f"/data/x is on {words}; not measured"


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        pytest.param(
            on("ext4", VIRTIO),
            ("/data/x: vda may be reported as a hard disk incorrectly; --quick: no file is read"),
            id="virtual disk that calls itself rotating",
        ),
        pytest.param(
            on("ext4", FAR, unknown={}),
            "/data/x: sdc may be reported as a hard disk incorrectly; not measured",
            id="disk behind a network",
        ),
        pytest.param(on("ext4", EBS), "/data/x: --quick: no file is read", id="cloud volume"),
        pytest.param(on("zfs"), "/data/x: --quick: no file is read", id="no disks"),
        pytest.param(
            on("ext4", VIRTIO, cold_read=reads(small=9999, cold=False)),
            "/data/x: the reads came from a cache, or were too few",
            id="warm reads",
        ),
        pytest.param(
            on("ext4", VIRTIO, cold_read=reads(small_files=7, small_seconds=0.9)),
            "/data/x: the reads came from a cache, or were too few",
            id="too few small files",
        ),
        pytest.param(
            on("ext4", VIRTIO, cold_read=reads(large_bytes=4194303, large_seconds=0.9)),
            "/data/x: the reads came from a cache, or were too few",
            id="too few bytes",
        ),
        pytest.param(
            on("tmpfs", hang=Hang(doing="listdir /data/x", seconds=6)),
            "/data/x: listdir /data/x does not answer",
            id="a hang",
        ),
        pytest.param(
            on("tmpfs", hang=Hang(doing="", seconds=6)),
            "/data/x: a call does not answer",
            id="a hang nobody knows where",
        ),
        pytest.param(
            DataSet(path="/no", unknown={"cold_read": "no such directory"}),
            "/no: no such directory",
            id="nothing there",
        ),
    ],
)
def test_unknown_is_not_health(entry: DataSet, reason: str) -> None:
    verdict = slow_storage.run(Facts(DataSets(entries=(entry,)), TABLE))

    assert verdict.skipped == reason


def test_no_data_given() -> None:
    facts = Facts(TABLE, unknown={"datasets": "no --data given"})

    assert slow_storage.run(facts).skipped == "datasets: no --data given"


def test_what_is_known_of_one_is_said_though_another_is_not() -> None:
    both = DataSets(entries=(on("ext4", VIRTIO), on("nfs4")))

    assert len(slow_storage.run(Facts(both, TABLE)).findings) == 1


@pytest.mark.parametrize(
    ("sample", "slow"),
    [
        (Sample(files=1000, bytes=1000 * MiB, complete=True, seconds=1), True),
        (Sample(files=999, bytes=999, complete=True, seconds=1), False),
        (Sample(files=1000, bytes=1000 * MiB + 1, complete=True, seconds=1), False),
        (Sample(files=10, bytes=10, complete=False, seconds=1), True),
        (Sample(files=0, bytes=0, complete=False, seconds=1), False),
        (None, False),
    ],
)
def test_what_many_small_files_are(sample: Sample | None, slow: bool) -> None:
    (finding,) = judged(on("nfs4", sample=sample))

    assert finding.severity is (Severity.SLOWS if slow else Severity.NOTE)


@pytest.mark.parametrize(
    "entry",
    [
        on("ext4", VIRTIO, cold_read=reads(small_files=8, small_seconds=0.01)),
        on(
            "ext4",
            VIRTIO,
            sample=SHARDS,
            cold_read=reads(large_bytes=4 * MiB, large_seconds=0.01),
        ),
    ],
    ids=["eight files", "four MiB"],
)
def test_just_enough_reads_are_a_measurement(entry: DataSet) -> None:
    assert judged(entry) == []


def test_few_small_files_are_read_as_a_measurement_but_never_blamed() -> None:
    few = Sample(files=100, bytes=100, complete=True, seconds=1)

    assert judged(on("ext4", VIRTIO, sample=few, cold_read=reads(small=20))) == []


@pytest.mark.parametrize(
    ("room", "severity"),
    [
        pytest.param(2 * PICTURES.bytes, Severity.NOTE, id="half of the memory"),
        pytest.param(2 * PICTURES.bytes - 2, Severity.SLOWS, id="a byte more"),
    ],
)
def test_what_fits_in_memory_is_slow_only_once(room: int, severity: Severity) -> None:
    (finding,) = judged(
        on("ext4", HDD, cold_read=reads(small=50)), Memory(total=room, available=room)
    )

    assert finding.severity is severity
    cached = severity is Severity.NOTE
    assert finding.evidence["fits_in_memory"] is cached
    ending = "; it fits in memory: only the first epoch is slow"
    assert finding.summary.endswith(ending) is cached


@pytest.mark.parametrize("sample", [None, Sample(files=9, bytes=9, complete=False, seconds=1)])
def test_nobody_knows_whether_an_unseen_rest_fits(sample: Sample | None) -> None:
    memory = Memory(total=64 * GiB, available=64 * GiB)

    (finding,) = judged(on("9p", sample=sample), memory)

    assert finding.severity is Severity.SLOWS


def test_thresholds_are_settings() -> None:
    entry = on("ext4", HDD, cold_read=reads(small=200))
    shards = on("ext4", HDD, sample=SHARDS, cold_read=reads(large=300e6))

    assert judged(entry, files_per_second=300)
    assert judged(shards, bytes_per_second=400e6)
    assert judged(on("nfs4", sample=SHARDS), many_files=1)[0].severity is Severity.NOTE


# Where to copy it.

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
SMALL = Sample(files=20_000, bytes=10 * GiB, complete=True, seconds=1)


def scratch(**changes: Any) -> Paths:
    fields = {name: getattr(SCRATCH, name) for name in PathFact.__struct_fields__}
    return Paths(entries=(PathFact(**(fields | changes)),))


def copies(entry: DataSet, *facts: Any) -> list[str]:
    (finding,) = judged(entry, *facts)
    return [r.shell for r in finding.remedies if r.argv]


def test_copied_to_a_local_ssd_with_room(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(on("nfs4", sample=SMALL), scratch())

    remedy = finding.remedies[0]
    assert remedy.title == snapshot
    assert remedy.shell == "rsync -a --info=progress2 /data/x /local/"
    assert remedy.advice


@pytest.mark.parametrize(
    "paths",
    [
        pytest.param(scratch(free=12 * GiB), id="just enough room"),
        pytest.param(scratch(inodes_free=22_001), id="just enough inodes"),
        pytest.param(scratch(inodes_free=0, unlimited_inodes=True), id="no inode count"),
        pytest.param(scratch(role="tmp"), id="TMPDIR"),
    ],
)
def test_copied_where_it_just_fits(paths: Paths) -> None:
    assert copies(on("nfs4", sample=SMALL), paths)


@pytest.mark.parametrize(
    "paths",
    [
        pytest.param(scratch(free=12 * GiB - 1), id="too little room"),
        pytest.param(scratch(free=None), id="room not known"),
        pytest.param(scratch(inodes_free=22_000), id="too few inodes"),
        pytest.param(scratch(writable=False), id="shut"),
        pytest.param(scratch(writable=None), id="rights not known"),
        pytest.param(scratch(exists=False), id="not there"),
        pytest.param(scratch(disks=()), id="on nobody knows what"),
        pytest.param(scratch(disks=(VIRTIO,)), id="on a virtual disk"),
        pytest.param(scratch(disks=(NVME, HDD)), id="partly on a hard disk"),
        pytest.param(scratch(disks=(EBS,)), id="on a cloud volume"),
        pytest.param(scratch(role="home"), id="in a home"),
    ],
)
def test_not_copied_where_it_would_not_help(paths: Paths) -> None:
    assert not copies(on("nfs4", sample=SMALL), paths)


def test_not_copied_to_the_disk_it_lies_on() -> None:
    entry = on("ext4", NVME, sample=SMALL, cold_read=reads(small=5))

    assert not copies(entry, scratch())


@pytest.mark.parametrize("sample", [None, Sample(files=0, bytes=0, complete=True, seconds=1)])
def test_not_copied_when_its_size_is_not_known(sample: Sample | None) -> None:
    assert not copies(on("nfs4", sample=sample), scratch())
    more = Sample(files=2000, bytes=10 * GiB, complete=False, seconds=1)
    assert not copies(on("nfs4", sample=more), scratch())


BIG_SHM = Shm(size=64 * GiB, available=64 * GiB)
FLYING = Loader(num_workers=4, prefetch_factor=2, batch_bytes=100 * MiB)  # 1000 MiB
NEEDED = int(10 * GiB * 1.1) + 1000 * MiB


def memory(room: int) -> Memory:
    return Memory(total=room, available=room)


def test_copied_to_shm_with_the_batches_in_flight() -> None:
    entry = on("9p", sample=SMALL)

    assert copies(entry, BIG_SHM, FLYING, memory(2 * NEEDED)) == [
        "rsync -a --info=progress2 /data/x /dev/shm/"
    ]
    exact = Shm(size=NEEDED, available=NEEDED)
    assert copies(entry, exact, FLYING, memory(2 * NEEDED))


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param((Shm(size=NEEDED - 1), FLYING, memory(99 * GiB)), id="small shm"),
        pytest.param((BIG_SHM, FLYING, memory(2 * NEEDED - 2)), id="small memory"),
        pytest.param((BIG_SHM, memory(99 * GiB)), id="no loader known"),
        pytest.param((BIG_SHM, FLYING), id="memory not known"),
        pytest.param((FLYING, memory(99 * GiB)), id="shm not known"),
        pytest.param((BIG_SHM, Loader(num_workers=4), memory(99 * GiB)), id="batches not known"),
        *(
            pytest.param((shm, FLYING, memory(99 * GiB)), id=name)
            for name, shm in {
                "shm of another process": Shm(size=64 * GiB, here=False),
                "no mount": Shm(size=64 * GiB, mounted=False),
                "read-only": Shm(size=64 * GiB, read_only=True),
                "without a size": Shm(size=64 * GiB, unlimited=True),
            }.items()
        ),
    ],
)
def test_not_copied_to_shm_where_it_would_not_fit(facts: tuple[Any, ...]) -> None:
    assert not copies(on("9p", sample=SMALL), *facts)


def test_ssd_is_better_than_shm() -> None:
    (line,) = copies(on("9p", sample=SMALL), scratch(), BIG_SHM, FLYING, memory(99 * GiB))

    assert line.endswith(" /local/")


# What a copy brings.

OTHER = DataSet(
    path="/local/old",
    disks=(NVME,),
    cold_read=reads(small=600.0, large=2e9),
)


def staged(entry: DataSet, *others: DataSet) -> Finding:
    """The first finding of one data set beside others; a copy may go to `/local`."""
    known = DataSets(entries=(entry, *others))
    found = slow_storage.run(Facts(known, TABLE, BARE, scratch())).findings
    return found[0]


@pytest.mark.parametrize(
    ("entry", "times", "words"),
    [
        pytest.param(
            on("nfs4", sample=SMALL, cold_read=reads(small=50.0)),
            12.0,
            ", where it reads 12 times as fast",
            id="small files",
        ),
        pytest.param(
            on("nfs4", sample=SHARDS, cold_read=reads(large=1e8)),
            20.0,
            ", where it reads 20 times as fast",
            id="large files",
        ),
    ],
)
def test_a_copy_gains_what_both_places_were_measured_to_give(
    entry: DataSet, times: float, words: str
) -> None:
    finding = staged(entry, OTHER)

    assert finding.counterfactual is not None
    assert finding.counterfactual.storage == pytest.approx(times)
    assert finding.evidence["copy.times_as_fast"] == pytest.approx(times)
    assert finding.remedies[0].title.endswith(f"before the job{words} (recipe stage-to-local-disk)")


SLOW = on("nfs4", sample=SMALL, cold_read=reads(small=50.0))


@pytest.mark.parametrize(
    ("entry", "others"),
    [
        pytest.param(SLOW, (), id="nothing was read there"),
        pytest.param(on("nfs4", sample=SMALL), (OTHER,), id="the data was not read"),
        pytest.param(
            SLOW,
            (DataSet(path="/a", disks=(SSD,), cold_read=OTHER.cold_read),),
            id="another disk was read",
        ),
        pytest.param(
            SLOW,
            (DataSet(path="/a", disks=(NVME,), cold_read=reads(large=2e9)),),
            id="only large files were read there",
        ),
        pytest.param(
            SLOW,
            (DataSet(path="/a", disks=(NVME,), cold_read=reads(small=600.0, cold=False)),),
            id="read out of a cache there",
        ),
        pytest.param(SLOW, (DataSet(path="/a", disks=(NVME,)),), id="not read"),
    ],
)
def test_no_gain_is_foretold_of_a_copy_that_nobody_can_compare(
    entry: DataSet, others: tuple[DataSet, ...], snapshot: SnapshotAssertion
) -> None:
    finding = staged(entry, *others)

    assert finding.counterfactual is None
    assert "copy.times_as_fast" not in finding.evidence
    assert finding.remedies[0].title == snapshot


@pytest.mark.parametrize(("rate", "copied"), [(50.0, False), (50.5, True)])
def test_not_copied_to_what_was_measured_to_be_no_faster(rate: float, copied: bool) -> None:
    other = DataSet(path="/a", disks=(NVME,), cold_read=reads(small=rate))

    assert any(r.argv for r in staged(SLOW, other).remedies) is copied


def test_memory_does_not_let_anybody_wait(snapshot: SnapshotAssertion) -> None:
    entry = on("9p", sample=SMALL, cold_read=reads(small=50.0))
    (finding,) = judged(entry, BIG_SHM, FLYING, memory(2 * NEEDED))

    assert finding.counterfactual == Counterfactual(storage=1000.0)
    assert finding.remedies[0].title == snapshot


# What the page cache keeps.


@pytest.mark.parametrize(
    ("cold", "most", "seconds"),
    [
        (reads(small=50.0), ", up to 400 s", 400.0),
        (None, "", None),
        (reads(small=50.0, cold=False), "", None),
    ],
    ids=["measured", "not read", "read out of a cache"],
)
def test_the_page_cache_spares_later_epochs_anyway(
    cold: ColdRead | None, most: str, seconds: float | None
) -> None:
    entry = on("nfs4", sample=SMALL, cold_read=cold)
    (finding,) = judged(entry, memory(20 * GiB), scratch())

    assert finding.severity is Severity.NOTE
    assert finding.counterfactual is None
    assert finding.evidence.get("first_epoch_seconds") == seconds
    assert finding.remedies[0].title == (
        "Read it once with many threads before the job; this removes the wait of"
        f" the first epoch{most}, and does not affect later ones (recipe warm-the-page-cache)"
    )
    assert finding.remedies[0].snippet == "warm(Path('/data/x'))"
    assert not [remedy for remedy in finding.remedies if remedy.argv]


@pytest.mark.parametrize("fstype", ["9p", "fuse.sshfs", "fuse"])
def test_not_everything_is_kept_in_the_page_cache(fstype: str) -> None:
    entry = on(fstype, HDD, sample=SMALL, cold_read=reads(small=50.0))
    (finding,) = judged(entry, memory(20 * GiB))

    assert finding.severity is Severity.SLOWS
    assert finding.evidence["fits_in_memory"] is False


# Read-ahead.

TINY = Disk(name="nvme0n1", transport="nvme", rotational=False, read_ahead=16 * KiB)


def test_tiny_read_ahead_under_large_files_is_a_note(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(on("ext4", TINY, sample=SHARDS))

    assert finding.severity is Severity.NOTE
    assert finding.confidence is Confidence.POSSIBLE
    assert finding.summary == snapshot
    assert finding.evidence == {"disk": "nvme0n1", "read_ahead": 16 * KiB}
    (remedy,) = finding.remedies
    assert remedy.title == snapshot
    assert remedy.shell == "sudo blockdev --setra 256 /dev/nvme0n1"
    assert remedy.undo == ("blockdev", "--setra", "32", "/dev/nvme0n1")
    assert remedy.verify == ("blockdev", "--getra", "/dev/nvme0n1")
    assert not remedy.automatic


@pytest.mark.parametrize(
    ("read_ahead", "sample"),
    [
        (128 * KiB, SHARDS),
        (None, SHARDS),
        (16 * KiB, PICTURES),
        (16 * KiB, None),
        (16 * KiB, Sample(files=0, bytes=0, complete=True, seconds=0)),
        (16 * KiB, Sample(files=1, bytes=128 * KiB, complete=True, seconds=0)),
    ],
)
def test_read_ahead_is_fine(read_ahead: int | None, sample: Sample | None) -> None:
    disk = Disk(name="nvme0n1", transport="nvme", rotational=False, read_ahead=read_ahead)

    assert judged(on("ext4", disk, sample=sample)) == []


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(DataSets(entries=(on("nfs4"),)), scratch(), BARE)
    record = json.loads(json.dumps(facts.to_record()))

    found = slow_storage.run(Facts.from_record(record).merge(TABLE)).findings

    assert found == slow_storage.run(facts.merge(TABLE)).findings != ()


@pytest.mark.root
def test_read_ahead_line_and_its_undo_work_for_real(tmp_path: Path) -> None:
    image = tmp_path / "disk"
    image.write_bytes(bytes(MiB))
    loop = subprocess.run(["losetup", "--find", "--show", image], check=False, capture_output=True)
    if loop.returncode:
        pytest.skip("no loop device to be had")
    name = loop.stdout.decode().strip()
    try:
        disk = Disk(name=name.removeprefix("/dev/"), read_ahead=16 * KiB)
        findings = judged(on("tmpfs", disk, sample=SHARDS))
        (remedy,) = findings[0].remedies
        script = f"{shlex.join(remedy.undo)} && {shlex.join(remedy.argv)} && "
        script += f"{shlex.join(remedy.verify)} && {shlex.join(remedy.undo)} && "
        script += shlex.join(remedy.verify)

        done = subprocess.run(["sh", "-c", script], check=True, capture_output=True)

        assert done.stdout.split() == [b"256", b"32"]
    finally:
        subprocess.run(["losetup", "--detach", name], check=True)


# A disk that really is slow.

SURVEY = """
import json, sys
from pathlib import Path
Path(sys.argv[1]).write_text(str(__import__("os").getpid()))
from pipedoctor.collect.datasets import dataset
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import DataSets, Facts
found = dataset(Machine(), sys.argv[2], False, lambda _: None)
print(json.dumps(Facts(DataSets(entries=(found,))).to_record()))
"""


def surveyed(group: Path, folder: Path) -> Facts:
    """What a process of this control group finds out about a data set."""
    done = subprocess.run(
        [sys.executable, "-c", SURVEY, group / "cgroup.procs", folder],
        check=True,
        capture_output=True,
    )
    return Facts.from_record(json.loads(done.stdout)).merge(TABLE, BARE)


def pictures(folder: Path, count: int) -> None:
    folder.mkdir()
    for number in range(count):
        with (folder / f"{number}.jpg").open("wb") as file:
            file.write(os.urandom(8 * KiB))
    os.sync()


@pytest.mark.root
@pytest.mark.slow
def test_the_illness_is_real_and_a_copy_cures_it(
    tmp_path: Path, control_group: Callable[[str], Path]
) -> None:
    limit = control_group("blkio") / "blkio.throttle.read_iops_device"
    pictures(tmp_path / "set", 1000)
    try:
        limit.write_text(f"{whole_disk(tmp_path)} 40")
    except OSError as reason:
        pytest.skip(f"the disk below {tmp_path} cannot be slowed down: {reason}")

    (finding,) = slow_storage.run(surveyed(limit.parent, tmp_path / "set")).findings
    assert finding.severity is Severity.SLOWS
    assert "small files/s" in finding.summary

    shm = Shm(size=GiB, available=GiB)
    known = (on("9p", sample=finding_sample(finding)), shm, FLYING, memory(99 * GiB))
    (copy,) = [r for r in judged(*known)[0].remedies if r.argv]
    with tempfile.TemporaryDirectory(dir="/dev/shm") as fast:
        rsync = (*copy.argv[:3], str(tmp_path / "set"), fast)
        if shutil.which("rsync") is None:
            pytest.skip("no rsync here")
        subprocess.run(rsync, check=True, capture_output=True)
        cured = slow_storage.run(surveyed(limit.parent, Path(fast) / "set"))

    assert cured.findings == ()
    assert not cured.skipped
    assert slow_storage.run(surveyed(limit.parent, tmp_path / "set")).findings


def finding_sample(finding: Finding) -> Sample:
    files, size = finding.evidence["files"], finding.evidence["bytes"]
    return Sample(files=files, bytes=size, complete=True, seconds=0)


def whole_disk(path: Path) -> str:
    """MAJOR:MINOR of the disk, not of the partition, that a path lies on."""
    number = path.stat().st_dev
    node = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve()
    disk = node.parent if (node / "partition").exists() else node
    try:
        return (disk / "dev").read_text().strip()
    except OSError as reason:
        pytest.skip(f"{path} is on no disk: {reason}")
