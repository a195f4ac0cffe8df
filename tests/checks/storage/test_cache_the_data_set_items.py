"""PDR717 recommends a cache of decoded items where measured costs say that it pays."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Counterfactual, Place, Severity
from pipedoctor.facts import (
    Contents,
    Pipeline,
    Shares,
    Shm,
)
from pipedoctor.units import GiB
from tests.checks.storage.cache_samples import PIXELS, judged, memory, pictures, scratch
from tests.tune.seen import pipeline, setting, trial

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
