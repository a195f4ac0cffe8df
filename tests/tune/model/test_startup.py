"""How an epoch begins and ends: by start method, by number of workers."""

import pytest

from pipedoctor.facts import Pipeline
from pipedoctor.tune.compare.remedy_gain import estimate_epoch
from pipedoctor.tune.model.predict import ThroughputModel
from pipedoctor.tune.model.startup import (
    estimate_ending,
    estimate_first_batch,
    estimate_start_delays,
)
from tests.tune.seen import costs, pipeline, setting, trial

IDLE = costs(fetch_wall=0.02, fetch_cpu=0.0001, fetch_process=0.0001)


def seen(**values: object) -> Pipeline:
    """First batches of forked workers come after 0.1 s and 0.02 s for each."""
    return pipeline(
        trial(0, 0.02, first_batch_seconds=0.02, costs=IDLE),
        trial(1, 0.02, ending_seconds=0.01, costs=IDLE),
        trial(2, 0.01, ending_seconds=0.02, costs=IDLE),
        **values,
    )


def test_forked_workers_take_as_long_as_was_measured() -> None:
    assert estimate_first_batch(seen(), 0) == 0.02
    assert estimate_first_batch(seen(), 2) == pytest.approx(0.14)
    assert estimate_first_batch(seen(), 8) == pytest.approx(0.26)


def test_workers_that_import_everything_again_take_turns() -> None:
    spawned = seen(start_method="spawn", startup_seconds=1.14, startup_workers=2)
    assert estimate_first_batch(spawned, 2) == pytest.approx(1.14)
    assert estimate_first_batch(spawned, 1) == pytest.approx(1.12)
    assert estimate_first_batch(spawned, 8) == pytest.approx(0.26 + 4 * 1.0)
    assert estimate_first_batch(spawned, 0) == 0.02
    guess = ThroughputModel(pipeline=spawned).predict(setting(8))
    assert guess.first_batch_seconds == pytest.approx(4.26)


def test_ending_grows_with_the_workers_and_may_be_unknown() -> None:
    assert estimate_ending(seen(), 2) == 0.02
    assert estimate_ending(seen(), 8) == pytest.approx(0.08)
    assert estimate_ending(seen(), 0) == 0
    assert estimate_ending(pipeline(trial(1, 0.02)), 4) == 0


def test_interpreters_of_their_own_take_long_to_end() -> None:
    spawned = seen(startup_seconds=1.14, startup_workers=2, ending_seconds=0.72)
    assert estimate_ending(spawned, 2) == pytest.approx(0.72)
    assert estimate_ending(spawned, 8) == pytest.approx(0.08 + 4 * 0.7)
    assert estimate_ending(spawned, 0) == 0


def begun(**values: object) -> Pipeline:
    """Four workers are forked in 0.08 s; each then prepares itself for 0.2 s."""
    return pipeline(
        trial(0, 0.02, costs=IDLE),
        trial(1, 0.02, first_batch_seconds=0.24, started_seconds=0.02, costs=IDLE),
        trial(4, 0.005, first_batch_seconds=0.24, started_seconds=0.08, costs=IDLE),
        **values,
    )


def test_workers_are_ready_one_after_the_other() -> None:
    assert estimate_start_delays(begun(), 4, 0.02) == pytest.approx([0, 0.02, 0.04, 0.06])
    assert estimate_start_delays(begun(), 1, 0.02) == [0]
    assert estimate_start_delays(begun(), 0, 0.02) == []
    assert estimate_start_delays(begun(startup_seconds=2.0), 2, 0.02) == [0, 0]


def test_none_is_late_that_was_ready_before_the_last_was_started() -> None:
    at_once = pipeline(
        trial(1, 0.02, first_batch_seconds=0.04, started_seconds=0.02, costs=IDLE),
        trial(4, 0.005, first_batch_seconds=0.1, started_seconds=0.08, costs=IDLE),
    )
    assert estimate_start_delays(at_once, 4, 0.02) == pytest.approx([0, 0, 0, 0])


def test_an_epoch_ends_with_the_worker_that_was_started_last() -> None:
    found = estimate_epoch(begun(samples=FEW), setting(4)).seconds
    assert found == pytest.approx(0.24 + 0.06, rel=0.05)


FEW = 64
"""Samples: four batches of 16, which four workers make at the same time."""


def test_a_short_epoch_is_as_long_as_its_batches_take() -> None:
    kept = setting(4, persistent_workers=True)
    short = seen(samples=FEW)
    assert estimate_epoch(short, kept).seconds == pytest.approx(0.02, rel=0.15)


def test_its_workers_start_and_end_in_it() -> None:
    short = seen(samples=FEW)
    starts = estimate_first_batch(short, 4) + estimate_ending(short, 4)
    assert estimate_epoch(short, setting(4)).seconds == pytest.approx(starts, rel=0.05)


def test_a_long_epoch_has_a_start_and_an_end_as_well() -> None:
    long = seen(samples=16 * 10_000)
    steady = 10_000 * ThroughputModel(pipeline=long).predict(setting(2)).batch_seconds
    found = estimate_epoch(long, setting(2)).seconds
    assert found == pytest.approx(steady + 0.14 - 0.01 + 0.02)


def test_a_short_epoch_without_workers_is_the_sum_of_its_batches() -> None:
    assert estimate_epoch(seen(samples=FEW), setting(0)).seconds == pytest.approx(0.08)
