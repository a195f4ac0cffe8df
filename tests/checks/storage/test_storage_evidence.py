"""What slow-storage says of a disk that reads ahead too little or whose speed is unknown."""

import shlex
import subprocess
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import (
    DataSet,
    DataSets,
    Disk,
    Facts,
    Hang,
    Sample,
)
from pipedoctor.units import KiB, MiB
from pipedoctor_checks.storage.slow_storage import slow_storage
from tests.checks.storage.storage_samples import (
    EBS,
    PICTURES,
    SHARDS,
    TABLE,
    VIRTIO,
    judged,
    on,
    reads,
)

FAR = Disk(name="sdc", transport="iscsi", rotational=True, remote=True)


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
