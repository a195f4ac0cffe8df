"""What a setting holds: memory that grows over an epoch, files, and between what."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pipedoctor.facts import Contents, Growth
from pipedoctor.tune.model.memory import (
    bound_memory,
    estimate_epoch_memory,
    estimate_memory,
)
from pipedoctor.tune.model.predict import ThroughputModel
from pipedoctor.tune.search.tuning import TuningRequest, open_search
from tests.tune.seen import costs, pipeline, setting, trial

GROWING = Path(__file__).parents[1] / "workloads/growing.py"


def growth(**values: float) -> Growth:
    full: dict[str, Any] = {"new": 0, "copied": 0, "shared": 0, "made": 100, **values}
    return Growth(**full)


GROWTHS = {
    "nothing grows": (growth(shared=10**9), 0),
    "a cache grows with the samples": (growth(new=16_000), 10**9 - 2 * 16e5),
    "below the noise nothing is said": (growth(new=15_000), 0),
    "pages of samples of their own are copied once": (
        growth(copied=16_000, shared=2 * 10**9),
        10**9 - 2 * 16e5,
    ),
    "a worker copies no more than there is": (
        growth(copied=16_000 * 1000, shared=4 * 10**8, made=1),
        2 * 4 * 10**8,
    ),
    "of pages with two samples each copies three quarters": (
        growth(copied=16_000, shared=5 * 10**8),
        2 * 0.75 * 5 * 10**8,
    ),
}


@pytest.mark.parametrize(("grows", "more"), GROWTHS.values(), ids=GROWTHS)
def test_memory_at_the_end_of_an_epoch(grows: Growth, more: float) -> None:
    seen = pipeline(trial(0, 0.02), trial(2, 0.01, growth=grows))
    two = setting(2)
    later = estimate_epoch_memory(seen, two)
    assert later is not None
    assert later - estimate_memory(seen, two) == pytest.approx(more, rel=0.02, abs=10)
    guess = ThroughputModel(pipeline=seen).predict(two)
    assert guess.memory_epoch_bytes == guess.final_memory_bytes == later
    low, high = bound_memory(seen, two)
    assert low < estimate_memory(seen, two) <= later < high


def test_who_had_made_most_grew_least_by_warming_up() -> None:
    warm, later = growth(new=900_000, made=50), growth(new=16_000)
    seen = pipeline(trial(1, 0.02, growth=warm), trial(2, 0.01, growth=later))
    found = estimate_epoch_memory(seen, setting(2))
    assert found == pytest.approx(20_000_000 + 10**9, rel=0.01)


def test_without_workers_or_an_end_nobody_knows() -> None:
    seen = pipeline(trial(0, 0.02), trial(2, 0.01, growth=growth(new=16_000)))
    assert estimate_epoch_memory(seen, setting(0)) is None
    assert estimate_epoch_memory(replace(seen, samples=None), setting(2)) is None
    assert estimate_epoch_memory(pipeline(trial(2, 0.01)), setting(2)) is None
    guess = ThroughputModel(pipeline=pipeline(trial(2, 0.01))).predict(setting(2))
    assert guess.final_memory_bytes == guess.memory_bytes


def test_larger_batches_take_more_memory() -> None:
    seen = pipeline(trial(0, 0.02), trial(2, 0.01))
    assert estimate_memory(seen, setting(2)) == 20_000_000
    assert estimate_memory(seen, setting(2, batch_size=48)) == 20_000_000 + 2 * 2 * 800_000


def test_files_of_batches_that_come_early() -> None:
    items = ((0.002, 0.001),) * 95 + ((0.5, 0.001),) * 5
    mean = costs(fetch_wall=0.43, fetch_cpu=0.016, fetch_process=0.016)
    contents = Contents(bytes=800_000, shared_bytes=802_816, objects=10)
    seen = pipeline(trial(1, 0.43, costs=mean), items=items, contents=contents)
    guess = ThroughputModel(pipeline=seen, is_corrected=False).predict(setting(4, 4))
    steady = 4 * 4 + 3 + 10
    assert guess.descriptors > steady + 10
    assert guess.most_descriptors > guess.descriptors
    low, high = guess.intervals["descriptors"]
    assert low == steady - 10
    assert high == guess.most_descriptors
    pinned = setting(4, 4, pin_memory=True)
    pins = ThroughputModel(pipeline=replace(seen, pins=True), is_corrected=False).predict(pinned)
    assert pins.descriptors == steady


def test_each_figure_lies_in_its_interval() -> None:
    seen = pipeline(trial(0, 0.04), trial(1, 0.04), trial(2, 0.02))
    for workers in (0, 1, 2, 8):
        guess = ThroughputModel(pipeline=seen).predict(setting(workers))
        for name, (low, high) in guess.intervals.items():
            assert low <= getattr(guess, name) <= high, (workers, name)
        low, high = guess.wait_interval
        assert low <= guess.wait_seconds <= high
    known, guessed = (ThroughputModel(pipeline=seen).predict(setting(n)) for n in (2, 8))
    sizes = [_width(guess.intervals["memory_bytes"]) for guess in (known, guessed)]
    assert sizes[0] < sizes[1]


def _width(interval: tuple[float, float]) -> float:
    return interval[1] / interval[0]


@pytest.mark.extended
@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize(("kind", "near"), [("remembers", 0.25), ("counts_references", 0.5)])
def test_an_epoch_is_foretold_by_a_second_of_it(kind: str, near: float) -> None:
    order = TuningRequest(target=f"{GROWING}:{kind}", max_workers=2)
    with open_search(order) as (search, _):
        for workers in (1, 2):
            search.measure(search.make_setting(workers), 0.5)
        guess = ThroughputModel(pipeline=search.build_pipeline()).predict(search.make_setting(2))

    ended = subprocess.run([sys.executable, str(GROWING), kind], check=True, capture_output=True)
    really = int(ended.stdout)
    assert guess.final_memory_bytes > 1.5 * guess.memory_bytes
    assert guess.final_memory_bytes == pytest.approx(really, rel=near)
