"""Predictions: of what was measured, beside it, and in another world."""

import random

import pytest

from pipedoctor.facts import Contents
from pipedoctor.tune.model.predict import Scenario, ThroughputModel
from tests.tune.seen import costs, pipeline, setting, trial, window

WAITS = costs(fetch_wall=0.13, fetch_cpu=0.002, fetch_process=0.002)
FREE = window(own=0.1)
IDLE = pipeline(
    trial(0, 0.132, costs=WAITS, window=FREE),
    trial(1, 0.132, costs=WAITS, window=FREE),
    trial(2, 0.066, costs=WAITS, window=FREE),
)


def test_what_was_measured_is_what_was_measured() -> None:
    guess = ThroughputModel(pipeline=IDLE).predict(setting(2))
    assert guess.measured
    assert guess.samples_per_second == pytest.approx(16 / 0.066)
    assert guess.low < guess.samples_per_second < guess.high


def test_waiting_scales_with_the_workers() -> None:
    guess = ThroughputModel(pipeline=IDLE).predict(setting(8))
    assert not guess.measured
    assert guess.samples_per_second == pytest.approx(8 * 16 / 0.132, rel=0.06)
    wider = guess.high / guess.low
    assert wider > 1.1


def test_sizes_follow_the_laws() -> None:
    guess = ThroughputModel(pipeline=IDLE).predict(setting(4, 8))
    assert guess.shm_bytes == (4 * 8 + 2) * 802_816
    assert guess.memory_bytes == 40_000_000
    assert guess.descriptors == 4 * 4 + 3 + 2
    assert guess.first_batch_seconds == pytest.approx(0.18)
    alone = ThroughputModel(pipeline=IDLE).predict(setting(0))
    assert (alone.shm_bytes, alone.memory_bytes, alone.descriptors) == (0, 0, 0)


def test_faster_storage_and_more_processors() -> None:
    double = ThroughputModel(pipeline=IDLE, scenario=Scenario(storage=2)).predict(setting(1))
    assert double.samples_per_second == pytest.approx(2 * 16 / 0.132, rel=0.05)
    assert not double.measured
    busy = pipeline(trial(0, 0.02), trial(1, 0.02), trial(2, 0.01, window=window(own=2)))
    here = ThroughputModel(pipeline=busy).predict(setting(8)).samples_per_second
    there = ThroughputModel(pipeline=busy, scenario=Scenario(cores=8)).predict(setting(8))
    assert here == pytest.approx(16 / 0.01, rel=0.05)
    assert there.samples_per_second == pytest.approx(8 * 16 / 0.02, rel=0.1)


def test_bytes_instead_of_floats() -> None:
    floats = Contents(bytes=800_000, shared_bytes=802_816, objects=2, float_bytes=800_000)
    made = costs(collate_cpu=0.02, process=0.04)
    seen = pipeline(trial(0, 0.04, costs=made), trial(1, 0.04, costs=made), contents=floats)
    guess = ThroughputModel(pipeline=seen, scenario=Scenario(uint8=True)).predict(setting(1))
    assert guess.shm_bytes == 4 * int(802_816 * 0.25)
    assert guess.samples_per_second == pytest.approx(16 / 0.025, rel=0.05)


def test_a_larger_batch_takes_longer_and_gives_as_much() -> None:
    guess = ThroughputModel(pipeline=IDLE).predict(setting(2, batch_size=32))
    assert guess.samples_per_second == pytest.approx(16 / 0.066, rel=0.03)
    assert guess.shm_bytes == (2 * 2 + 2) * 802_816 * 2


def test_a_store_that_is_shared_gives_no_more() -> None:
    slow = costs(fetch_wall=0.26, fetch_cpu=0.002, fetch_process=0.002)
    seen = pipeline(
        trial(0, 0.132, costs=WAITS, window=FREE),
        trial(1, 0.132, costs=WAITS, window=FREE),
        trial(2, 0.132, costs=slow, window=FREE),
    )
    guess = ThroughputModel(pipeline=seen).predict(setting(8))
    assert guess.samples_per_second == pytest.approx(16 / 0.132, rel=0.1)


def test_stragglers_are_drawn_from_the_items() -> None:
    items = ((0.001, 0.001),) * 97 + ((0.06, 0.001),) * 3
    mean = costs(fetch_wall=0.044, fetch_cpu=0.016, fetch_process=0.016)
    seen = pipeline(
        trial(0, 0.064, costs=mean, step_seconds=0.02),
        trial(1, 0.05, costs=mean, step_seconds=0.02),
        items=items,
    )
    model = ThroughputModel(pipeline=seen, is_corrected=False)
    ordered = model.predict(setting(3)).samples_per_second
    loose = model.predict(setting(3, in_order=False)).samples_per_second
    assert loose > 1.05 * ordered


def test_what_comes_at_intervals_is_not_drawn_at_random() -> None:
    regular = [(0.001, 0.001)] * 47 + [(0.1, 0.1)]
    anyhow = 20 * regular
    random.Random(7).shuffle(anyhow)
    mean = costs(fetch_wall=0.049, fetch_cpu=0.049, fetch_process=0.049)
    found = [
        ThroughputModel(
            pipeline=pipeline(trial(1, 0.05, costs=mean), items=tuple(items)),
            is_corrected=False,
        )
        .predict(setting(2))
        .samples_per_second
        for items in (regular, anyhow)
    ]
    assert found[0] == pytest.approx(2 * 16 / 0.049, rel=0.05)
    assert found[1] < 0.95 * found[0]


def test_batches_that_nobody_saw_being_made_are_judged_from_outside() -> None:
    slow = {"costs": None, "batches": 2, "window": window(own=0.1)}
    seen = pipeline(trial(0, 2.0, **slow), trial(2, 1.0, **slow))
    guess = ThroughputModel(pipeline=seen).predict(setting(4))
    assert guess.samples_per_second == pytest.approx(16 / 0.5, rel=0.1)


def test_the_first_batch_of_another_world() -> None:
    seen = pipeline(trial(0, 0.132, costs=WAITS), trial(1, 0.132, costs=WAITS))
    here = ThroughputModel(pipeline=seen).predict(setting(1)).first_batch_seconds
    twice = ThroughputModel(pipeline=seen).predict(setting(1, batch_size=32)).first_batch_seconds
    quick = ThroughputModel(pipeline=seen, scenario=Scenario(storage=2)).predict(setting(1))
    assert twice == pytest.approx(here + 0.132, rel=0.02)
    assert quick.first_batch_seconds == pytest.approx(here - 0.128 / 2, rel=0.02)
