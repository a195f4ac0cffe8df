"""When another window is worth its time, and what no setting can exceed."""

import math

import pytest

from pipedoctor.facts import Pipeline, Setting, Trial
from pipedoctor.tune.model.predict import ThroughputModel
from pipedoctor.tune.search import expected_gain
from tests.tune.seen import costs, pipeline, setting, trial, window

WAITS = costs(fetch_wall=0.16, fetch_cpu=0.002)
FREE = window(own=0.1)


def waits(*more: Trial, **values: object) -> Pipeline:
    """Each worker makes a hundred samples a second, by waiting alone."""
    return pipeline(
        trial(0, 0.16, costs=WAITS, window=FREE),
        trial(1, 0.16, costs=WAITS, window=FREE),
        *more,
        **values,
    )


def most(seen: Pipeline, of: Setting) -> float:
    return expected_gain.estimate_max_rate(ThroughputModel(pipeline=seen), of)


def test_workers_make_no_more_than_one_made_alone() -> None:
    assert most(waits(), setting(7)) == pytest.approx(700 * 1.03)
    assert most(waits(), setting(7, 8)) == pytest.approx(700 * 1.03)


def test_nor_more_than_the_processors_can() -> None:
    busy = pipeline(trial(0, 0.02), trial(1, 0.02, window=window(own=1.0)))
    assert most(busy, setting(1)) == pytest.approx(800 * 1.03)
    assert most(busy, setting(8)) == pytest.approx(1600 * 1.03)


def test_nor_more_than_the_consumer_takes() -> None:
    slow = waits(trial(2, 0.08, costs=WAITS, window=FREE, step_seconds=0.05))
    consumer = pipeline(*(t for t in slow.trials if t.step_seconds), start=setting(2))
    assert most(consumer, setting(8)) == pytest.approx(320)


def test_copies_of_a_stream_count_once() -> None:
    assert most(waits(undivided=True), setting(4)) == pytest.approx(100 * 1.03)


def test_without_workers_nothing_is_known_to_bound_it() -> None:
    assert most(waits(), setting(0)) > 1e6


def gain(workers: int, best: int, prefetch: int = 2) -> float:
    found = trial(best, 0.16 / best, costs=WAITS, window=FREE, spread=0.003)
    model = ThroughputModel(pipeline=waits(found))
    return expected_gain.estimate_gain(model, model.predict(setting(workers, prefetch)), found)


def test_what_cannot_be_faster_promises_nothing() -> None:
    assert gain(7, best=8) == 0
    assert gain(4, best=8) == 0


def test_what_may_be_faster_promises_something() -> None:
    assert gain(8, best=4) > 0.4
    assert 0 < gain(8, best=8, prefetch=4) < 0.02


def test_taking_the_wrong_one_of_two_costs_as_much_as_they_are_unknown() -> None:
    best, rival = trial(2, 0.0100, spread=0.02), trial(4, 0.0101, spread=0.02)
    far = trial(4, 0.0130, spread=0.02)
    known = trial(4, 0.0101, spread=0.0)
    assert expected_gain.estimate_loss(best, rival) == pytest.approx(0.007, abs=0.002)
    assert expected_gain.estimate_loss(best, far) < 1e-6
    assert expected_gain.estimate_loss(trial(2, 0.01, spread=0.0), known) == 0
    assert expected_gain.estimate_loss(known, trial(2, 0.01, spread=0.0)) == pytest.approx(
        math.log(1.01)
    )
