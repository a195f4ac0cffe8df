"""PDR717 recommends a cache only where it fits, and says what it saves if measured."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Counterfactual, Finding, Place, Severity
from pipedoctor.facts import (
    BenchDecode,
    BenchDisk,
    Contents,
    Cpu,
    DataSet,
    DataSets,
    Disk,
    Facts,
    Host,
    Loader,
    Memory,
    PathFact,
    Paths,
    Pipeline,
    Sample,
    Shares,
    Shm,
    Spread,
)
from pipedoctor.facts.bench_decode import DecodePath, Images
from pipedoctor.facts.bench_disk import DiskReading
from pipedoctor.units import GiB
from pipedoctor_checks.storage.cache_the_data_set import cache_the_data_set
from tests.tune.seen import pipeline, setting, trial

PIXELS = 256 * 256 * 3
HOST = Host(model="Acme 9", cpus=8, effective=8)
HERE = Cpu(logical=8, model="Acme 9")
NVME = Disk(name="nvme0n1", transport="nvme", rotational=False)
HDD = Disk(name="sda", transport="sata", rotational=True)


def spread(value: float) -> Spread:
    return Spread(value=value, low=value * 0.9, high=value * 1.1, windows=5)


def pictures(files: int = 1000, suffix: str = ".jpg", **more: Any) -> DataSets:
    sample = Sample(
        files=files,
        bytes=files * more.get("each", 100_000),
        complete=more.get("complete", True),
        seconds=0.1,
        suffixes=more.get("suffixes", {suffix: files}),
    )
    return DataSets(entries=(DataSet(path="/data", sample=sample),))


def memory(room: int) -> Memory:
    return Memory(total=1 << 40, available=room)


def scratch(free: int = 100 * GiB, disk: Disk = NVME) -> Paths:
    place = PathFact(
        role="scratch",
        path="/scratch",
        exists=True,
        writable=True,
        free=free,
        unlimited_inodes=True,
        disks=(disk,),
    )
    return Paths(entries=(place,))


def decoding(rate: float = 100.0) -> BenchDecode:
    path = DecodePath(
        library="pillow", name="PIL", task="resize", antialiased=True, rate=spread(rate)
    )
    return BenchDecode(host=HOST, images=Images(count=1, bytes=1), paths=(path,))


def reading(each: float) -> BenchDisk:
    found = DiskReading(pattern="random", cache="cold", operations_per_second=spread(each))
    return BenchDisk(host=HOST, dataset=DataSet(path="/scratch"), readings=(found,))


def judged(*facts: Any, **settings: Any) -> list[Finding]:
    verdict = cache_the_data_set.run(Facts(HERE, *facts), **settings)
    assert not verdict.skipped, verdict.skipped
    return list(verdict.findings)


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param([pictures(suffix=".tar"), memory(GiB)], id="no images"),
        pytest.param(
            [
                pictures(suffixes={".jpg": 500, ".txt": 500}),
                memory(GiB),
            ],
            id="only half of the files are images",
        ),
        pytest.param([pictures(0), memory(GiB)], id="empty"),
        pytest.param([pictures(), memory(2 * 1000 * PIXELS - 2)], id="just too large, no disk"),
        pytest.param([pictures(), memory(0), scratch(disk=HDD)], id="only a hard disk"),
        pytest.param([pictures(), memory(0), scratch(free=GiB)], id="disk too full"),
        pytest.param(
            [pictures(), memory(0), scratch(), decoding(), reading(100.0)],
            id="reading takes as long as decoding",
        ),
        pytest.param([pictures()], id="nothing is known of memory and disks"),
        pytest.param(
            [
                pictures(),
                memory(2 * 1000 * PIXELS),
                Loader(num_workers=1, batch_bytes=1),
            ],
            id="batches in flight need the room",
        ),
    ],
)
def test_silent(facts: list[Any]) -> None:
    assert judged(*facts) == []


def test_it_fits_in_memory(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(pictures(), memory(2 * 1000 * PIXELS))

    assert finding.severity is Severity.NOTE
    assert finding.confidence is Confidence.POSSIBLE
    assert finding.summary == (
        "/data could be stored decoded in memory: 187.5 MiB, 375.0 MiB available"
    )
    assert finding.gain is None
    assert finding.evidence == {
        "files": 1000,
        "bytes": 100_000_000,
        "decoded_bytes": 1000 * PIXELS,
        "memory.room": 2000 * PIXELS,
    }
    (remedy,) = finding.remedies
    assert remedy.place is Place.CODE
    assert remedy.title == snapshot
    assert "share_memory_()" in remedy.snippet


@pytest.mark.parametrize(
    ("shm", "shared"),
    [
        pytest.param(Shm(size=1000 * PIXELS + 4), True, id="just enough"),
        pytest.param(Shm(size=1000 * PIXELS + 3), False, id="one byte too small"),
        pytest.param(Shm(size=1, unlimited=True), True, id="unlimited"),
        pytest.param(None, True, id="unknown"),
    ],
)
def test_nothing_is_put_where_it_does_not_fit(shm: Shm | None, shared: bool) -> None:
    loader = Loader(num_workers=1, batch_bytes=1)
    known = [shm] if shm else []
    (finding,) = judged(pictures(), memory(GiB), loader, *known)
    (remedy,) = finding.remedies

    assert ("pixels.share_memory_()" in remedy.snippet) is shared
    assert ("/dev/shm has 187.5 MiB; forked workers" in remedy.snippet) is not shared


def test_what_an_epoch_would_be_without_decoding() -> None:
    (memory_,) = judged(pictures(), memory(GiB))
    (disk,) = judged(pictures(), memory(0), scratch())

    assert memory_.counterfactual == Counterfactual(decode=1000.0)
    assert disk.counterfactual == Counterfactual(decode=1000.0)


@pytest.mark.parametrize(
    ("each", "storage"),
    [
        pytest.param(GiB // 2000, 1.0, id="half of the memory"),
        pytest.param(GiB // 2000 + 1, 1000.0, id="a byte more of each file"),
    ],
)
def test_waiting_is_saved_where_the_page_cache_does_not_save_it(each: int, storage: float) -> None:
    (finding,) = judged(pictures(each=each), memory(GiB))

    assert finding.counterfactual == Counterfactual(decode=1000.0, storage=storage)


def test_what_was_measured_is_the_gain(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(pictures(), memory(GiB), decoding(100.0))

    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == snapshot
    assert finding.gain is not None
    assert finding.gain.value == pytest.approx(0.01)
    assert finding.gain.low == pytest.approx(1 / 110)
    assert finding.gain.high == pytest.approx(1 / 90)
    assert finding.gain.basis == "modelled"


def test_it_fits_on_a_local_disk(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(pictures(), memory(0), scratch())

    assert finding.summary == snapshot
    assert finding.remedies[0].title == snapshot
    assert "open_memmap" in finding.remedies[0].snippet


def test_reading_is_taken_off_the_gain() -> None:
    (finding,) = judged(pictures(), memory(0), scratch(), decoding(100.0), reading(1000.0))

    assert finding.gain is not None
    assert finding.gain.value == pytest.approx(0.009)
    assert finding.gain.low == pytest.approx(1 / 110 - 1 / 900)


def test_a_reading_without_a_number_is_not_used() -> None:
    read = BenchDisk(host=HOST, dataset=DataSet(path="/scratch"), readings=())
    refused = DiskReading(pattern="random", cache="cold", unknown="foreign CPU")
    for found in (
        read,
        BenchDisk(host=HOST, dataset=read.dataset, readings=(refused,)),
    ):
        (finding,) = judged(pictures(), memory(0), scratch(), decoding(100.0), found)

        assert finding.gain is not None
        assert finding.gain.value == pytest.approx(0.01)


def test_what_another_machine_measured_is_not_used() -> None:
    stranger = Cpu(logical=64, model="Acme 10")
    facts = Facts(stranger, pictures(), memory(GiB), decoding(), reading(1.0))

    (finding,) = cache_the_data_set.run(facts).findings

    assert finding.gain is None


def test_thresholds() -> None:
    assert judged(pictures(), memory(GiB), share=0.01) == []
    assert judged(pictures(), memory(GiB), side=2000) == []


def test_the_lines_to_paste_have_the_size_that_was_reckoned_with() -> None:
    (preloaded,) = judged(pictures(), memory(GiB), side=224)

    assert "torch.empty(len(files), 3, 224, 224, dtype" in (preloaded.remedies[0].snippet)


@pytest.mark.parametrize(
    "entry",
    [
        DataSet(path="/data"),
        pictures(complete=False).entries[0],
    ],
    ids=["no sample", "not complete"],
)
def test_unknown_is_not_health(entry: DataSet, snapshot: SnapshotAssertion) -> None:
    verdict = cache_the_data_set.run(Facts(DataSets(entries=(entry,))))

    assert verdict.skipped == snapshot


def test_no_data_given() -> None:
    facts = Facts(unknown={"datasets": "no --data given"})

    assert cache_the_data_set.run(facts).skipped == "datasets: no --data given"


# Items of any kind, by what was measured of them.

SOUND = pictures(suffix=".flac")
DECODES = Shares(read=0.1, decode=0.2, transform=0.7)


def measured(**values: Any) -> Pipeline:
    """A thousand items of 100 kB, of which decoding is a fifth, in batches of 16."""
    contents = Contents(bytes=1_600_000, shared_bytes=1_601_536, objects=1)
    full: dict[str, Any] = {"samples": 1000, "contents": contents, "cpu": DECODES}
    return pipeline(trial(0, 0.02), **(full | values))


ROOM = Shm(size=GiB)


def test_items_fit_in_shared_memory(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(SOUND, measured(), memory(GiB), ROOM)

    assert finding.severity is Severity.NOTE
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == snapshot
    assert finding.evidence == {
        "target": "data.py:make",
        "samples": 1000,
        "bytes_of_a_sample": 100_000,
        "decoded_bytes": 100_000_000,
        "decoding": 0.2,
    }
    assert finding.counterfactual == Counterfactual(decode=1000.0)
    (remedy,) = finding.remedies
    assert remedy.place is Place.CODE
    assert remedy.title == snapshot
    assert remedy.snippet == (
        "build(dataset, Path('/dev/shm/items'))\n"
        "loader = DataLoader(Kept(Path('/dev/shm/items')), ...)"
    )


def test_waiting_for_large_files_is_saved_with_their_items() -> None:
    large = pictures(suffix=".flac", each=GiB // 1000)
    (finding,) = judged(large, measured(), memory(GiB), ROOM)

    assert finding.counterfactual == Counterfactual(decode=1000.0, storage=1000.0)


def test_items_fit_on_a_local_disk_alone(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(SOUND, measured(), memory(0), ROOM, scratch())

    assert finding.summary == snapshot
    assert finding.counterfactual == Counterfactual(decode=1000.0)
    assert "Path('/scratch/items')" in finding.remedies[0].snippet


def test_items_and_batches_in_flight_need_the_room() -> None:
    seen = measured(start=setting(1))  # two batches wait, two are in use
    need = 100_000_000 + 4 * 1_601_536

    assert judged(SOUND, seen, memory(GiB), Shm(size=need))
    assert judged(SOUND, seen, memory(GiB), Shm(size=need - 1)) == []
    assert judged(SOUND, seen, memory(2 * need), ROOM)
    assert judged(SOUND, seen, memory(2 * need - 2), ROOM) == []


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param([], id="nothing was measured"),
        pytest.param([measured(cpu=None)], id="not what is decoding"),
        pytest.param(
            [measured(cpu=Shares(read=0.2, decode=0.19, transform=0.61))],
            id="too little of it is",
        ),
        pytest.param([measured(samples=None)], id="without an end"),
        pytest.param(
            [measured(contents=Contents(bytes=0, shared_bytes=0, objects=0))],
            id="nobody knows what is in a batch",
        ),
    ],
)
def test_nothing_is_said_of_items_of_which_too_little_is_known(seen: list[Any]) -> None:
    assert judged(SOUND, memory(GiB), ROOM, *seen) == []


def test_batches_that_are_samples_and_what_decoding_is_worth() -> None:
    alone = measured(start=setting(0, batch_size=None))
    (finding,) = judged(SOUND, alone, memory(1 << 40), Shm(size=1 << 40))

    assert finding.evidence["bytes_of_a_sample"] == 1_600_000
    assert judged(SOUND, measured(), memory(GiB), ROOM, decoding_share=0.3) == []


def test_images_are_judged_by_their_files(snapshot: SnapshotAssertion) -> None:
    (finding,) = judged(pictures(), measured(), memory(GiB), ROOM)

    assert finding.summary == snapshot
    assert judged(pictures(), measured(), memory(2 * 1000 * PIXELS - 2), ROOM) == []
