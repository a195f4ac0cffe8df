"""PDR710 trusts a measurement first, then the medium, and doubts the rest aloud."""

import json

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Place, Severity
from pipedoctor.facts import (
    ColdRead,
    DataSet,
    DataSets,
    Facts,
    Memory,
    Sample,
)
from pipedoctor.units import GiB, KiB, MiB
from pipedoctor_checks.storage.slow_storage import slow_storage
from tests.checks.storage.storage_samples import (
    BARE,
    HDD,
    NVME,
    PICTURES,
    SHARDS,
    SSD,
    TABLE,
    VIRTIO,
    judged,
    on,
    reads,
    scratch,
)


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


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(DataSets(entries=(on("nfs4"),)), scratch(), BARE)
    record = json.loads(json.dumps(facts.to_record()))

    found = slow_storage.run(Facts.from_record(record).merge(TABLE)).findings

    assert found == slow_storage.run(facts.merge(TABLE)).findings != ()
