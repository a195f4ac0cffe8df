"""PDR717 recommends a cache only where it fits, and says what it saves if measured."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Counterfactual, Place, Severity
from pipedoctor.facts import (
    BenchDecode,
    BenchDisk,
    Cpu,
    DataSet,
    DataSets,
    Disk,
    Facts,
    Host,
    Loader,
    Shm,
    Spread,
)
from pipedoctor.facts.bench_decode import DecodePath, Images
from pipedoctor.facts.bench_disk import DiskReading
from pipedoctor.units import GiB
from pipedoctor_checks.storage.cache_the_data_set import cache_the_data_set
from tests.checks.storage.cache_samples import PIXELS, judged, memory, pictures, scratch

HOST = Host(model="Acme 9", cpus=8, effective=8)
HDD = Disk(name="sda", transport="sata", rotational=True)


def spread(value: float) -> Spread:
    return Spread(value=value, low=value * 0.9, high=value * 1.1, windows=5)


def decoding(rate: float = 100.0) -> BenchDecode:
    path = DecodePath(
        library="pillow", name="PIL", task="resize", antialiased=True, rate=spread(rate)
    )
    return BenchDecode(host=HOST, images=Images(count=1, bytes=1), paths=(path,))


def reading(each: float) -> BenchDisk:
    found = DiskReading(pattern="random", cache="cold", operations_per_second=spread(each))
    return BenchDisk(host=HOST, dataset=DataSet(path="/scratch"), readings=(found,))


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
