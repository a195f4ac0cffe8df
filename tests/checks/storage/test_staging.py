"""Where slow-storage would have a dataset copied to, and what that gains."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Counterfactual, Finding, Severity
from pipedoctor.facts import (
    ColdRead,
    DataSet,
    DataSets,
    Facts,
    Loader,
    Paths,
    Sample,
    Shm,
)
from pipedoctor.units import GiB, MiB
from pipedoctor_checks.storage.slow_storage import slow_storage
from tests.checks.storage.storage_samples import (
    BARE,
    EBS,
    HDD,
    NVME,
    SHARDS,
    SSD,
    TABLE,
    VIRTIO,
    judged,
    memory,
    on,
    reads,
    scratch,
)

SMALL = Sample(files=20_000, bytes=10 * GiB, complete=True, seconds=1)


def copies(entry: DataSet, *facts: Any) -> list[str]:
    (finding,) = judged(entry, *facts)
    return [r.shell for r in finding.remedies if r.argv]


def test_copied_to_a_local_ssd_with_room(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(on("nfs4", sample=SMALL), scratch())

    remedy = finding.remedies[0]
    assert remedy.title == snapshot
    assert remedy.shell == "cp -a /data/x /local/"
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


def test_copied_to_shm_with_the_batches_in_flight() -> None:
    entry = on("9p", sample=SMALL)

    assert copies(entry, BIG_SHM, FLYING, memory(2 * NEEDED)) == ["cp -a /data/x /dev/shm/"]
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


OTHER = DataSet(
    path="/local/old",
    disks=(NVME,),
    cold_read=reads(small=600.0, large=2e9),
)


def staged(entry: DataSet, *others: DataSet) -> Finding:
    """The first finding of one dataset beside others; a copy may go to `/local`."""
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
