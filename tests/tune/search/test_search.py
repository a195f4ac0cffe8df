"""The search over loaders that are made of figures, and what is shown of it."""

from dataclasses import replace
from typing import cast

import pytest
from msgspec import structs

from pipedoctor.bottleneck.contention import compute_tail_share
from pipedoctor.facts import Pipeline, Setting, Trial
from pipedoctor.tune.compare.remedy_gain import estimate_epoch
from pipedoctor.tune.compare.whatif import (
    probe_pipeline,
)
from pipedoctor.tune.model.predict import ThroughputModel
from pipedoctor.tune.output.text import render
from pipedoctor.tune.search.probe import (
    TrialFailedError,
    format_setting,
)
from tests.tune.scripted_search import (
    BOUNDS,
    WAITS,
    Scripted,
    computing,
    search,
    surprising,
    tuning,
    waiting,
)
from tests.tune.seen import costs, pipeline, setting, trial


def test_waiting_takes_all_workers_there_may_be() -> None:
    found = search(waiting)
    found.run()
    chosen = tuning(found).choice
    assert chosen.setting.num_workers == 8
    assert chosen.confidence == "certain"
    said = "Limit: workers: at most 8 tried (4 workers per CPU)"
    assert said in render(tuning(found))
    assert "Limit: CPUs" not in render(tuning(found))
    assert len(cast("Scripted", found.runner).asked) < 14


def test_computing_takes_as_many_as_there_are_processors() -> None:
    found = search(computing)
    found.run()
    assert tuning(found).choice.setting == setting(2)


def test_numbers_of_workers_that_may_be_faster_are_tried_too() -> None:
    found = search(surprising)
    found.run()
    assert tuning(found).choice.setting.num_workers >= 4
    asked = {one.num_workers for one in cast("Scripted", found.runner).asked}
    assert len(asked) <= 7


def deep(of: Setting) -> Trial:
    """Longer queues give somewhat more, though nothing lets expect it."""
    found = waiting(of)
    more = 1.03 if of.prefetch_factor == 4 else 1.0
    return structs.replace(
        found,
        costs=structs.replace(WAITS, fetch_wall=0.12),  # its workers pause
        batch_seconds=found.batch_seconds / more,
        samples_per_second=found.samples_per_second * more,
    )


def test_longer_queues_are_tried_where_there_is_time_left() -> None:
    found = search(deep)
    found.run()
    assert tuning(found).choice.setting == setting(8, 4, persistent_workers=False)


def test_a_stream_that_nobody_divides_is_said_to_be_one() -> None:
    found = search(waiting)
    found.run()
    assert "get_worker_info" not in render(tuning(found))
    found.runner.has_copies = True
    assert "Limit: get_worker_info(): the stream is not divided among" in render(tuning(found))


def test_windows_before_copies_were_seen_are_counted_again() -> None:
    found = search(waiting)
    found.measure(setting(2), 1.0)
    (before,) = found.ledger.trials
    found.runner.has_copies = True
    found.measure(setting(0), 1.0)

    after, alone = found.ledger.trials
    assert after.samples_per_second == pytest.approx(before.samples_per_second / 2)
    assert alone.samples_per_second == pytest.approx(16 / alone.batch_seconds)
    assert found.build_pipeline().undivided


def test_copies_of_a_stream_are_no_gain() -> None:
    found = search(waiting)
    found.run()
    seen = structs.replace(found.build_pipeline(), samples=10**6)
    copied = structs.replace(seen, undivided=True)
    alone, four = setting(0), setting(4)
    divided, same = ThroughputModel(pipeline=seen), ThroughputModel(pipeline=copied)

    assert divided.predict(four).samples_per_second == pytest.approx(
        4 * same.predict(four).samples_per_second
    )
    assert same.predict(alone) == divided.predict(alone)
    assert estimate_epoch(copied, four).seconds == (
        pytest.approx(4 * estimate_epoch(seen, four).seconds, rel=0.01)
    )


def test_a_setting_that_has_worked_is_not_broken_by_one_that_came_too_late() -> None:
    calls: list[Setting] = []

    def sometimes(of: Setting) -> Trial:
        calls.append(of)
        if len(calls) > 4 and calls.count(of) > 1:
            message = f"with {format_setting(of)}: no answer within 1 s"
            raise TrialFailedError(message)
        return waiting(of)

    found = search(sometimes)
    found.run()
    assert not found.failures
    assert tuning(found).choice.setting.num_workers == 8


def test_nothing_is_tried_that_a_consumer_would_hide() -> None:
    def consuming(of: Setting) -> Trial:
        return trial(of.num_workers, 0.0303, setting=of, step_seconds=0.0302)

    found = search(consuming)
    found.run()
    asked = {one.num_workers for one in cast("Scripted", found.runner).asked}
    assert asked == {0, 1, 2}


@pytest.mark.parametrize(("process", "times"), [(0.02, 2), (0.026, 2), (0.027, 3)])
def test_workers_with_threads_of_their_own_are_measured_more_often(
    process: float, times: int
) -> None:
    def spinning(of: Setting) -> Trial:
        found = costs(fetch_process=process)
        return trial(of.num_workers, 0.02, setting=of, costs=found)

    found = search(spinning)
    probe_pipeline(found)
    asked = [one.num_workers for one in cast("Scripted", found.runner).asked]
    assert [asked.count(number) for number in (1, 2, 8)] == [1, times, times]


def test_the_start_setting_is_kept_where_it_is_best() -> None:
    start = setting(2, 4, pin_memory=True)
    found = search(computing, start)
    found.run()
    chosen = tuning(found).choice
    assert chosen.setting == start
    assert chosen.gain == 1


def test_how_long_other_start_methods_take() -> None:
    found = search(waiting)
    found.base_pipeline = pipeline(start=setting(0), start_method="spawn")
    found.run()
    assert found.base_pipeline.startup_seconds == pytest.approx(0.14)


@pytest.mark.parametrize(("workers", "asked"), [(0, [0, 1, 8]), (2, [0, 2, 8, 1])])
def test_many_workers_come_before_one_where_the_start_has_some(
    workers: int, asked: list[int]
) -> None:
    found = search(waiting, setting(workers), bounds=replace(BOUNDS, cpus=8.0))
    found.probe()
    runner = cast("Scripted", found.runner)
    assert [one.num_workers for one in runner.asked] == asked
    assert runner.items


def test_order_is_tried_where_few_items_take_the_time() -> None:
    found = search(waiting)
    assert all(of.in_order for of in found.list_settings())
    found.runner.items = ((0.001, 0.001),) * 97 + ((0.06, 0.001),) * 3
    assert any(not of.in_order for of in found.list_settings())
    assert compute_tail_share(()) == 0
    assert compute_tail_share(((0.001, 0.0),) * 10) == 0


def test_what_no_setting_can_exceed_ends_the_search() -> None:
    found = search(waiting)
    found.run()
    asked = cast("Scripted", found.runner).asked
    assert len(asked) <= 7
    assert {one.num_workers for one in asked} == {0, 1, 2, 8}
    assert found.runner.seconds_left > 10


def test_time_is_kept_for_what_follows() -> None:
    told: list[Pipeline] = []

    def kept(seen: Pipeline) -> float:
        told.append(seen)
        return 9.0

    found = search(waiting)
    found.run(reserve=kept)
    assert {trial.setting.num_workers for trial in told[0].trials} == {0, 1, 2}
    assert found.runner.deadline == -9.0
