"""The search over loaders that are made of figures, and what is shown of it."""

import contextlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from pipedoctor.bench import document
from pipedoctor.bottleneck.contention import compute_tail_share
from pipedoctor.facts import Contents, Pipeline, Setting, Shares, Trial
from pipedoctor.tune.compare.remedy_gain import estimate_epoch
from pipedoctor.tune.compare.whatif import (
    WhatIfChange,
    predict_change,
    probe_pipeline,
    validate_change,
)
from pipedoctor.tune.model.predict import Scenario, ThroughputModel
from pipedoctor.tune.output.html import render_page
from pipedoctor.tune.output.json import build_record
from pipedoctor.tune.output.text import format_loader_line, render
from pipedoctor.tune.output.whatif import render as told
from pipedoctor.tune.output.whatif import render_json
from pipedoctor.tune.search.decide import explain_unusable
from pipedoctor.tune.search.limits import ResourceLimits, read_limits
from pipedoctor.tune.search.probe import (
    TargetLostError,
    TrialFailedError,
    TrialRunner,
    format_setting,
)
from pipedoctor.tune.search.search import SettingSearch
from pipedoctor.tune.search.session import TargetRefusedError
from pipedoctor.tune.search.tuning import Tuning, TuningRequest, build_tuning
from pipedoctor.tune.target.messages import TargetLoaded
from tests.tune.seen import costs, pipeline, setting, trial, window

CONTENTS = Contents(bytes=800_000, shared_bytes=802_816, objects=2, float_bytes=800_000)
Law = Callable[[Setting], Trial]


class Scripted(TrialRunner):
    """Gives trials by a law, in no time; its own clock counts what they would cost."""

    def __init__(self, law: Law, seconds: float = 28.0) -> None:
        super().__init__(session=cast("Any", None), deadline=0.0)
        self.law, self.rest = law, seconds
        self.asked: list[Setting] = []
        self.contents = CONTENTS
        self.wall_shares = self.cpu_shares = Shares(read=0.8, decode=0.1, transform=0.1)

    @property
    def seconds_left(self) -> float:
        return self.rest

    def measure(self, setting: Setting, seconds: float, **more: Any) -> Trial:
        self.asked.append(setting)
        self.rest -= seconds + 0.5
        self.trial_seconds.append(seconds + 0.5)
        if more.get("items"):
            self.items = ((0.008, 0.0001),) * 100
        return self.law(setting)


WAITS = costs(fetch_wall=0.13, fetch_cpu=0.002, fetch_process=0.002)


def waiting(of: Setting) -> Trial:
    """Eight milliseconds for a sample, for each worker alone."""
    each = 0.132 / max(1, of.num_workers)
    return trial(of.num_workers, each, setting=of, costs=WAITS, window=window(own=0.1))


def computing(of: Setting) -> Trial:
    """Two processors, and a tenth for each worker too many."""
    each = 0.02 / max(1, min(of.num_workers, 2)) * (1 + 0.1 * max(0, of.num_workers - 2))
    busy = window(own=min(2, max(1, of.num_workers)))
    return trial(of.num_workers, each, setting=of, window=busy)


BOUNDS = ResourceLimits(cpus=2.0, cpus_bound="machine", max_workers=8)


def search(law: Law, start: Setting | None = None, **values: Any) -> SettingSearch:
    start = start or setting(0)
    return SettingSearch(
        Scripted(law),
        values.pop("bounds", BOUNDS),
        start,
        pipeline(start=start, contents=CONTENTS),
        **values,
    )


def tuning(found: SettingSearch, **values: Any) -> Tuning:
    return build_tuning(TuningRequest(target="data.py:make"), found, **values)


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


def surprising(of: Setting) -> Trial:
    """Two processors; four workers are somewhat faster than they let expect."""
    each = {0: 0.02, 1: 0.02, 2: 0.0105, 3: 0.0103}.get(of.num_workers, 0.0098)
    busy = window(own=min(2, max(1, of.num_workers)))
    return trial(of.num_workers, each, setting=of, window=busy, spread=0.01)


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


def test_limits_keep_settings_out_and_are_told() -> None:
    tight = replace(BOUNDS, shm=802_816 * 7)
    found = search(waiting, bounds=tight)
    found.run()
    shown = tuning(found)
    assert shown.choice.setting.queued_batches + 2 <= 7
    assert shown.excluding_limits["/dev/shm"].startswith("/dev/shm: needs ")
    assert "Limit: /dev/shm: needs" in render(shown)


def test_limits_that_keep_out_nothing_faster_are_not_told_but_in_json() -> None:
    found = search(computing, bounds=replace(BOUNDS, shm=802_816 * 7))
    found.run()
    shown = tuning(found)
    assert shown.choice.setting == setting(2)
    (reason,) = build_record(shown)["limits"]["binding"]
    assert reason.startswith("/dev/shm: needs ")
    assert "Limit: /dev/shm" not in render(shown)
    assert "/dev/shm: needs" not in render_page(shown)

    few = search(computing, bounds=replace(BOUNDS, max_workers=2))
    few.run()
    assert "workers: at most 2" in str(build_record(tuning(few)))
    assert "Limit: workers" not in render(tuning(few))


def test_processors_that_bind_are_named_with_who_says_so(snapshot: SnapshotAssertion) -> None:
    found = search(computing, bounds=replace(BOUNDS, cpus_bound="cgroup quota"))
    found.run()
    shown = tuning(found)
    assert "Limit: CPUs: 2 (cgroup quota)\n" in render(shown)
    assert "<li>Limit: CPUs: 2 (cgroup quota)</li>" in render_page(shown)
    assert build_record(shown)["limits"]["decisive"] == snapshot


def test_what_the_consumer_hides_is_no_limit() -> None:
    def consuming(of: Setting) -> Trial:
        return trial(of.num_workers, 0.0303, setting=of, step_seconds=0.0302)

    found = search(consuming, bounds=replace(BOUNDS, shm=802_816 * 4, max_workers=1))
    found.run()
    assert "Limit:" not in render(tuning(found))


def test_no_one_is_certain_where_a_rank_is_measured_with_the_cpus_of_all() -> None:
    said = "2 ranks: measured with all 2 CPUs instead of one rank's share"
    found = search(waiting, setting(2), bounds=replace(BOUNDS, unshared_reason=said))
    found.run()
    shown = tuning(found)
    assert shown.choice.confidence == "possible"
    assert f"Limit: {said}" in render(shown)
    assert predict_change(found, WhatIfChange())["unpriced"] == said


BINDING: dict[str, tuple[dict[str, Any], str]] = {
    "workers": (
        {"max_workers": 3},
        "workers: at most 3 tried (4 workers per CPU)",
    ),
    "shared memory": ({"shm": 5 << 20}, "/dev/shm: needs 7.7 MiB, 5.0 MiB available"),
    "memory": (
        {"memory": 10 << 20},
        "memory (machine): needs 27.7 MiB, 10.0 MiB available",
    ),
    "descriptors": (
        {"descriptors": 37},
        "file descriptors: needs 40, the limit is 37",
    ),
    "nothing": ({}, ""),
}


@pytest.mark.parametrize(("values", "words_"), BINDING.values(), ids=BINDING)
def test_which_limit_binds(values: dict[str, Any], words_: str) -> None:
    found = replace(BOUNDS, **values).find_broken_limit(setting(4), CONTENTS, 20 << 20)
    assert found == words_


def test_batches_that_come_early_need_descriptors_until_their_turn() -> None:
    """On torch 2.13 the peak of 8 workers with 112 tensors a batch was 930 to 1,048."""
    wide = setting(8)
    loose = Setting(num_workers=8, prefetch_factor=2, in_order=False)

    assert wide.count_peak_descriptors(112) == 4 * 8 + 3 + 10 * 112
    assert loose.count_peak_descriptors(112) == 4 * 8 + 3 + 2 * 112
    assert setting(0).count_peak_descriptors(112) == 0


def test_the_limits_of_this_machine() -> None:
    here = read_limits()
    assert here.cpus > 0
    assert here.max_workers >= 16
    two = read_limits(ranks=2, max_workers=5, memory_size=1 << 30)
    assert two.cpus == max(1, here.cpus // 2)
    assert (two.max_workers, two.workers_bound) == (5, "--max-workers")
    assert (two.memory, two.memory_bound) == (1 << 30, "--memory")
    assert two.to_record()["max_workers"] == 5


def test_a_setting_that_fails_is_left_out() -> None:
    def law(of: Setting) -> Trial:
        if of.num_workers > 4:
            message = "too many"
            raise TrialFailedError(message)
        return waiting(of)

    found = search(law)
    found.run()
    assert tuning(found).choice.setting.num_workers == 4
    assert found.failures


def test_one_worker_that_fails_ends_it(snapshot: SnapshotAssertion) -> None:
    def law(of: Setting) -> Trial:
        if of.num_workers:
            message = "with num_workers=1: it broke"
            raise TrialFailedError(message)
        return waiting(of)

    found = search(law)
    with pytest.raises(TrialFailedError):
        found.run()
    shown = tuning(found, failure="with num_workers=1: it broke")
    assert shown.choice.setting == setting(0)
    assert shown.undecided_reason == snapshot
    assert "inconclusive: with num_workers=1: it broke" in render(shown)


def test_where_nothing_is_decided_nothing_is_changed() -> None:
    def law(of: Setting) -> Trial:
        if of.num_workers > 4:
            message = "its process was killed"
            raise TargetLostError(message)
        return structs.replace(waiting(of), first_batch_seconds=9.0)

    found = search(law, setting(2))
    found.base_pipeline = structs.replace(found.base_pipeline, samples=1600)
    with pytest.raises(TargetLostError):
        found.run()
    shown = tuning(found, failure="its process was killed")
    assert shown.choice.setting == setting(2)
    assert shown.choice.gain == 1
    assert "Keep the current setting: measured 242 samples/s" in render(shown)
    assert tuning(found).choice.setting.persistent_workers


def test_all_that_was_waited_for_in_vain_is_said(snapshot: SnapshotAssertion) -> None:
    def law(of: Setting) -> Trial:
        message = f"with {format_setting(of)}: no answer within 4 s"
        raise TrialFailedError(message, is_timeout=True)

    found = search(law, setting(2))
    with pytest.raises(TrialFailedError) as raised:
        found.run()
    assert raised.value.is_timeout
    assert str(raised.value) == snapshot


def test_samples_that_only_workers_can_give() -> None:
    def law(of: Setting) -> Trial:
        if not of.num_workers:
            message = "with num_workers=0: no worker"
            raise TrialFailedError(message)
        return waiting(of)

    found = search(law, setting(1))
    found.run()
    shown = tuning(found)
    assert shown.choice.setting.num_workers == 8
    assert not any(p.setting.num_workers == 0 for p in shown.predictions)
    assert build_record(shown)["stages"]["read"] > 0


def test_a_start_method_that_cannot_start_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = search(waiting)
    found.base_pipeline = pipeline(start=setting(0), start_method="spawn")
    bench = cast("Scripted", found.runner)
    plain = bench.measure

    def measure(of: Setting, seconds: float, **more: Any) -> Trial:
        if more.get("context"):
            message = "cannot pickle it"
            raise TrialFailedError(message)
        return plain(of, seconds, **more)

    monkeypatch.setattr(bench, "measure", measure)
    found.run()
    shown = tuning(found)
    assert shown.choice.setting == setting(0)
    assert "workers do not start (spawn): cannot pickle it" in str(build_record(shown))


def test_how_long_other_start_methods_take() -> None:
    found = search(waiting)
    found.base_pipeline = pipeline(start=setting(0), start_method="spawn")
    found.run()
    assert found.base_pipeline.startup_seconds == pytest.approx(0.14)


def test_order_is_tried_where_few_items_take_the_time() -> None:
    found = search(waiting)
    assert all(of.in_order for of in found.list_settings())
    found.runner.items = ((0.001, 0.001),) * 97 + ((0.06, 0.001),) * 3
    assert any(not of.in_order for of in found.list_settings())
    assert compute_tail_share(()) == 0
    assert compute_tail_share(((0.001, 0.0),) * 10) == 0


def done() -> Tuning:
    found = search(waiting)
    found.run()
    return tuning(found)


def test_the_text_has_the_line_and_the_map() -> None:
    text = render(done(), width=100)
    said = "DataLoader(dataset, batch_size=16, num_workers=8, prefetch_factor=2, ...)"
    assert f"\n  {said}\n" in text
    assert "8.00 times as fast as now: measured 970 samples/s" in text
    assert "Bottleneck: storage-latency: a batch waits 128 ms for its data" in text
    assert "\n    none       [121]\n" in text
    assert "[970]*" in text
    assert "[970]" in text
    assert all(len(row) <= 100 for row in text.splitlines())
    narrow = render(done(), width=60)
    assert max(map(len, narrow.splitlines())) < max(map(len, text.splitlines()))


def test_the_line_says_what_is_not_a_default() -> None:
    full = setting(2, 4, in_order=False, pin_memory=True, persistent_workers=True, batch_size=8)
    assert format_loader_line(full) == (
        "DataLoader(dataset, batch_size=8, num_workers=2, prefetch_factor=4, "
        "in_order=False, persistent_workers=True, pin_memory=True, ...)"
    )
    assert format_loader_line(Setting(num_workers=0)) == "DataLoader(dataset, num_workers=0, ...)"
    assert format_setting(full) == "num_workers=2, prefetch_factor=4, in_order=False"


def test_beside_a_batch_sampler_of_the_user_the_line_has_no_size() -> None:
    said = "DataLoader(dataset, num_workers=8, prefetch_factor=2, ...)"
    sampled = replace(done(), has_own_batches=True)
    assert f"\n  {said}\n" in render(sampled)
    assert f"<pre><code>{said}</code></pre>" in render_page(sampled)
    found = search(waiting)
    probe_pipeline(found)
    assert f"\n  {said}\n" in told(
        predict_change(found, WhatIfChange(workers=8)), has_own_batches=True
    )


def test_the_json_has_what_the_schema_says() -> None:
    found = json.loads(json.dumps(build_record(done())))
    assert found["schema"] == "pipedoctor.tuning/1"
    assert found["recommended"] == {
        "num_workers": 8,
        "prefetch_factor": 2,
        "in_order": True,
        "pin_memory": False,
        "persistent_workers": False,
        "batch_size": 16,
    }
    assert found["confidence"] == "certain"
    assert found["measured"]["samples_per_second"] == pytest.approx(970, rel=0.01)
    assert set(found["stages"]) == {
        "read",
        "decode",
        "transform",
        "collate",
        "transfer",
    }
    assert found["stages"]["read"] == pytest.approx(0.8 * 0.13 / 16)
    assert found["limits"]["max_workers"] == 8
    (fact,) = document.read_measurements(json.dumps(found).encode())
    assert isinstance(fact, Pipeline)
    assert fact.best == setting(8)
    eight = next(t for t in found["trials"] if t["num_workers"] == 8)
    assert eight["shm_bytes"] == (8 * 2 + 2) * 802_816
    assert eight["memory_bytes"] == 80_000_000


def test_the_page_is_whole_and_escaped() -> None:
    shown = done()
    nasty = replace(shown.request, target="<script>alert(1)</script>.py:make")
    text = render_page(replace(shown, request=nasty, failure="<b>"))
    assert "<script>alert" not in text
    assert "&lt;script&gt;" in text
    assert "&lt;b&gt;" in text
    assert text.count(' measured best"') == 1
    assert 'title="measured: ' in text
    assert 'title="predicted: ' in text
    assert '<h1 class="unknown">8.00 times as fast as now: measured' in text
    assert "<li>Limit: " in text
    assert '<button type="button" class="copy"' in text
    assert "://" not in text


def test_nothing_known_is_shown_as_nothing(snapshot: SnapshotAssertion) -> None:
    empty = tuning(search(waiting), interrupted=True)
    assert render(empty) == snapshot
    assert build_record(empty)["measured"] is None
    assert build_record(empty)["stages"] is None
    assert render_page(empty).startswith("<!doctype html>")


def test_what_if() -> None:
    found = search(waiting, setting(1))
    probe_pipeline(found)
    change = WhatIfChange(workers=6, prefetch=4, in_order=False, batch=32, persistent=True)
    answer = predict_change(found, change)
    assert answer["basis"] == "modelled"
    assert answer["setting"]["prefetch_factor"] == 4
    assert answer["setting"]["persistent_workers"] is True
    assert answer["gain"] == pytest.approx(6, rel=0.06)
    assert answer["epoch"]["startup"] == 0
    same = predict_change(found, WhatIfChange())
    assert same["basis"] == "measured"
    assert same["gain"] == pytest.approx(1)
    assert same["unpriced"] is None
    pinned = predict_change(found, WhatIfChange(pin_memory=True))
    assert "pin_memory has no effect on this machine" not in told(pinned)
    assert "faster transfers to the GPU" in " ".join(told(pinned).split())
    none = predict_change(found, WhatIfChange(workers=0, in_order=False))
    assert none["setting"]["prefetch_factor"] is None
    assert none["setting"]["in_order"] is True


@pytest.mark.parametrize("most", [0, 1, 3])
def test_what_if_tries_no_more_workers_than_it_may(most: int) -> None:
    found = search(waiting, bounds=replace(BOUNDS, cpus=16.0, max_workers=most))
    probe_pipeline(found)
    tried = {trial.setting.num_workers for trial in found.ledger.trials}
    assert max(tried) == most


def test_what_if_of_a_probe_that_others_decided(snapshot: SnapshotAssertion) -> None:
    found = search(waiting)
    assert explain_unusable(found.build_pipeline()) == snapshot
    probe_pipeline(found)
    assert explain_unusable(found.build_pipeline()) == ""
    (now,) = found.ledger.find_trials(found.start)
    loud = structs.replace(now, window=window(foreign=1.0))
    found.ledger.trials = [loud]
    assert explain_unusable(found.build_pipeline()) == "", (
        "it is as fast as its processor times say"
    )
    slow = structs.replace(loud, batch_seconds=2 * now.batch_seconds)
    slow = structs.replace(slow, samples_per_second=now.samples_per_second / 2)
    for late in (slow, structs.replace(loud, costs=None)):
        found.ledger.trials = [late]
        assert explain_unusable(found.build_pipeline()) == snapshot


def test_what_if_for_people() -> None:
    found = search(waiting)
    probe_pipeline(found)
    world = Scenario(cores=16, storage=2, uint8=True)
    answer = predict_change(found, WhatIfChange(workers=4, scenario=world))
    text = told(answer)
    assert "  with 16 CPUs, storage 2 times as fast, uint8 batches\n" in text
    assert "  modelled: " in text
    assert json.loads(render_json(answer))["world"]["dtype"] == "uint8"
    loud = {**answer, "disturbed": "other processes used 1.0 of 2 CPUs"}
    assert "unreliable: other processes used 1.0 of 2 CPUs during the measurement" in told(loud)


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


def imagined(change: WhatIfChange, *, accelerator: bool = False) -> dict[str, Any]:
    found = search(waiting, setting(2))
    probe_pipeline(found, change.start_method)
    return predict_change(found, change, accelerator=accelerator)


def test_pinning_does_nothing_without_a_gpu_and_is_modelled_beside_one() -> None:
    pins = WhatIfChange(pin_memory=True)
    here, there = imagined(pins), imagined(pins, accelerator=True)
    assert here["basis"] == "measured"
    assert here["gain"] == 1
    assert here["unpriced"].startswith("pin_memory has no effect on this machine")
    assert "with a GPU a thread would copy each batch in" in here["unpriced"]
    assert there["basis"] == "modelled"
    assert there["unpriced"].startswith("pin_memory is modelled by the time to copy")
    assert imagined(WhatIfChange(workers=2))["unpriced"] is None


def test_workers_that_are_started_in_another_way() -> None:
    found = imagined(WhatIfChange(workers=8, start_method="spawn"))
    forked = imagined(WhatIfChange(workers=8))
    assert found["world"]["start_method"] == "spawn"
    assert found["predicted"]["first_batch_seconds"] == pytest.approx(
        forked["predicted"]["first_batch_seconds"]
    )
    assert "workers started by spawn" in " ".join(told(found).split())


def test_one_thread_where_others_rest() -> None:
    found = imagined(WhatIfChange(one_thread=True))
    assert found["gain"] == 1
    assert "no additional threads" in found["unpriced"]


def test_one_thread_where_others_compute() -> None:
    def spinning(of: Setting) -> Trial:
        return trial(of.num_workers, 0.06, setting=of, costs=costs(fetch_process=0.06))

    found = search(spinning, setting(2))
    probe_pipeline(found)
    said = predict_change(found, WhatIfChange(one_thread=True))
    assert said["basis"] == "modelled"
    assert said["unpriced"] is None
    assert said["predicted"]["high"] > 1.5 * said["current"]["predicted"]["high"]
    assert said["predicted"]["low"] < said["predicted"]["samples_per_second"]


def test_what_an_epoch_pays_for_workers_that_are_not_kept() -> None:
    found = search(waiting, setting(2))
    found.base_pipeline = structs.replace(found.base_pipeline, samples=16_000)
    probe_pipeline(found)
    renewed = predict_change(found, WhatIfChange())
    kept = predict_change(found, WhatIfChange(persistent=True))

    assert (renewed["basis"], kept["basis"]) == ("measured", "modelled")
    assert renewed["epoch"] == renewed["current"]["epoch"] == kept["current"]["epoch"]
    assert renewed["epoch"]["startup"] == pytest.approx(0.14)
    assert (kept["epoch"]["startup"], kept["epoch"]["ending"]) == (0.0, 0.0)
    text = " ".join(told(kept).split())
    assert (
        "an epoch takes 66.0 s: 66.0 s of batches, its workers are persistent; now 66.1 s"
    ) in text
    assert "0.14 s to start its workers, 0.00 s to stop" in " ".join(told(renewed).split())


def test_workers_that_shall_be_kept_although_none_are_now() -> None:
    found = search(waiting)
    probe_pipeline(found)

    assert predict_change(found, WhatIfChange(workers=2))["basis"] == "measured"
    assert predict_change(found, WhatIfChange(workers=2, persistent=True))["basis"] == "modelled"


def test_an_epoch_whose_end_nobody_knows_is_not_told() -> None:
    found = search(waiting)
    found.base_pipeline = structs.replace(found.base_pipeline, samples=None)
    probe_pipeline(found)

    assert "an epoch takes" not in told(predict_change(found, WhatIfChange(workers=4)))


def test_an_epoch_without_workers() -> None:
    found = search(waiting, setting(2))
    found.base_pipeline = structs.replace(found.base_pipeline, samples=16_000)
    probe_pipeline(found)

    text = " ".join(told(predict_change(found, WhatIfChange(workers=0))).split())
    said = "an epoch takes 132.1 s: 132.0 s of batches, 0.10 s until the first batch; now"
    assert said in text


def test_bytes_in_place_of_floats_where_there_are_no_floats(snapshot: SnapshotAssertion) -> None:
    found = search(waiting)
    uint8 = WhatIfChange(scenario=Scenario(uint8=True))
    probe_pipeline(found)
    assert predict_change(found, uint8)["unpriced"] is None

    found.runner.contents = structs.replace(CONTENTS, float_bytes=0)
    said = predict_change(found, uint8)
    assert said["unpriced"] == snapshot
    assert said["unpriced"] in told(said)


def test_the_text_says_what_is_waited_for() -> None:
    said = "The consumer waits 16.5 ms (now 132 ms) for each batch, 0.26 s (now 0.10 s)"
    assert f"{said} for the first batch." in " ".join(render(done()).split())
    assert f"{said} for the first batch." in render_page(done())
    found = search(computing, setting(2))
    found.run()
    kept = "The consumer waits 10 ms for each batch, 0.14 s for the first batch."
    assert kept in " ".join(render(tuning(found)).split())


def test_text_and_page_say_what_others_disturbed() -> None:
    def law(of: Setting) -> Trial:
        loud = window(own=1.0, foreign=0.4)
        found = waiting(of)
        return structs.replace(found, window=loud) if of.num_workers else found

    found = search(law)
    found.run()
    shown = tuning(found)
    marked = sum(bool(one.disturbance) for one in found.ledger.trials)
    said = f"{len(found.ledger.trials)} windows measured, {marked} of them disturbed"
    assert marked
    assert said in " ".join(render(shown).split())
    assert said in render_page(shown)
    assert "disturbed" not in render_page(done())


def test_a_loader_without_a_batch_is_refused_by_its_name() -> None:
    def law(of: Setting) -> Trial:
        why = "the loader yields no batch: it is empty"
        message = f"with {format_setting(of)}: {why}"
        raise TrialFailedError(message, empty_reason=why)

    found = search(law, setting(2))
    with pytest.raises(TargetRefusedError, match=r"^data\.py:make: the loader yields no batch"):
        found.run()
    assert {one.num_workers for one in cast("Scripted", found.runner).asked} == {0, 2}


def test_workers_that_give_no_batch_are_left_out() -> None:
    def law(of: Setting) -> Trial:
        if of.num_workers > 2:
            message = "each has less than a batch"
            raise TrialFailedError(message, empty_reason=message)
        return waiting(of)

    found = search(law)
    found.run()
    assert tuning(found).choice.setting.num_workers == 2


@pytest.mark.parametrize(
    ("batch", "drop_last", "samples", "refused"),
    [
        (65, True, 64, True),
        (64, True, 64, False),
        (65, False, 64, False),
        (65, True, None, False),
        (None, True, 3, False),
    ],
)
def test_what_would_give_no_batch_is_not_imagined(
    batch: int | None, drop_last: bool, samples: int | None, refused: bool
) -> None:
    found = search(waiting)
    found.base_pipeline = structs.replace(found.base_pipeline, samples=samples)
    loaded = TargetLoaded(setting=setting(0), start_method="fork", drop_last=drop_last)
    expected: contextlib.AbstractContextManager[object] = (
        pytest.raises(TargetRefusedError, match="with --batch 65 the loader yields no batch")
        if refused
        else contextlib.nullcontext()
    )
    with expected:
        validate_change(found, WhatIfChange(batch=batch), loaded)
