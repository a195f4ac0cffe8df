"""Imagine another setting, or another machine, for a target that was probed."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from pipedoctor.bottleneck.classify import classify_bottleneck
from pipedoctor.bottleneck.contention import has_busy_threads
from pipedoctor.check import Counterfactual
from pipedoctor.facts import Pipeline, Setting, Trial
from pipedoctor.tune.compare.counterfactual import apply_counterfactual
from pipedoctor.tune.model.predict import (
    Prediction,
    Scenario,
    ThroughputModel,
    is_same_load,
)
from pipedoctor.tune.model.records import describe_prediction, describe_setting
from pipedoctor.tune.model.startup import estimate_ending
from pipedoctor.tune.search.search import SettingSearch
from pipedoctor.tune.search.session import TargetRefusedError
from pipedoctor.tune.search.tuning import refuse_batch_size
from pipedoctor.tune.target.loader_failure import NO_BATCH, explain_too_few
from pipedoctor.tune.target.messages import TargetLoaded

SCHEMA = "pipedoctor.whatif/1"
PINNING_NOTE = (
    "pin_memory is modelled by the time to copy a batch on this machine; faster transfers"
    " to the GPU are not included: `pipedoctor bench transfer` measures both"
)
NO_GPU_NOTE = "pin_memory has no effect on this machine: torch finds no GPU"
ONE_THREAD_NOTE = "one thread has no effect: workers used no additional threads"
UINT8_NOTE = "uint8 has no effect: batches contain no floats"
_ONE_THREAD = Counterfactual(one_thread=True)
_REPEATS, _SPINNING_REPEATS = 1, 2
"""How often settings of several workers are measured again."""
_RECEIVE_SHARE = 0.2
"""Share of its time."""
_WINDOW_FRACTION = 16
"""A window may take a share of the time longer where its rate varies."""
_SPINNING_RATIO = 1.3
"""CPU of a whole worker, against that of the thread that fetches."""


@dataclass(frozen=True, kw_only=True)
class WhatIfChange:
    """What shall be different; None = as it is."""

    workers: int | None = None
    prefetch: int | None = None
    in_order: bool | None = None
    persistent: bool | None = None
    pin_memory: bool | None = None
    batch: int | None = None
    one_thread: bool = False
    """Numerical libraries start no threads of their own in workers."""
    start_method: str | None = None
    """How workers are started."""
    scenario: Scenario = field(default_factory=Scenario)

    def apply_to(self, setting: Setting) -> Setting:
        """The setting with the change."""
        workers = setting.num_workers if self.workers is None else self.workers
        prefetch = self.prefetch or setting.prefetch_factor or 2
        ordered = setting.in_order if self.in_order is None else self.in_order
        persistent = setting.persistent_workers if self.persistent is None else self.persistent
        pinned = setting.pin_memory if self.pin_memory is None else self.pin_memory
        return replace(
            setting,
            num_workers=workers,
            prefetch_factor=prefetch if workers else None,
            in_order=ordered or not workers,
            persistent_workers=bool(workers and persistent),
            pin_memory=pinned,
            batch_size=self.batch or setting.batch_size,
        )


def predict_change(
    search: SettingSearch, change: WhatIfChange, *, accelerator: bool = True
) -> dict[str, Any]:
    """Predict the changed setting, and the current one, as the record of `whatif`."""
    seen = search.build_pipeline()
    changed = change.apply_to(search.start)
    current = ThroughputModel(pipeline=seen).predict(search.start)
    now: dict[str, Any] = {
        "predicted": describe_prediction(current),
        "epoch": split_epoch(seen, current),
    }
    seen = _apply_start_method(search, change, seen)
    prediction = ThroughputModel(pipeline=seen, scenario=change.scenario).predict(changed)
    pinned = changed.pin_memory != search.start.pin_memory
    if (pinned and accelerator) or _has_other_persistence(seen, changed):
        prediction = replace(prediction, measured=False)
    alone = change.one_thread and has_busy_threads(seen)
    if alone:
        prediction = _apply_one_thread(seen, prediction)
    record = describe_prediction(prediction) or {}
    silent = (
        _describe_pinning(seen, change.scenario, changed, has_gpu=accelerator) if pinned else ""
    )
    rests = ONE_THREAD_NOTE if change.one_thread and not alone else ""
    same = UINT8_NOTE if change.scenario.uint8 and not seen.contents.float_bytes else ""
    unpriced = (silent, rests, same, search.limits.unshared_reason)
    return {
        "schema": SCHEMA,
        "target": seen.target,
        "setting": describe_setting(changed),
        "world": _describe_world(change),
        "predicted": record,
        "basis": record["basis"],
        "current": {"setting": describe_setting(search.start), **now},
        "gain": prediction.samples_per_second / current.samples_per_second,
        "epoch": split_epoch(seen, prediction),
        "bottleneck": classify_bottleneck(seen).name,
        "disturbed": next((t.disturbance for t in seen.trials if t.disturbance), None),
        "unpriced": "; ".join(filter(None, unpriced)) or None,
    }


def _describe_world(change: WhatIfChange) -> dict[str, Any]:
    """The machine and the loader that the prediction is for, where they are not as now."""
    return {
        "cores": change.scenario.cores,
        "storage": change.scenario.storage,
        "dtype": "uint8" if change.scenario.uint8 else None,
        "one_thread": change.one_thread,
        "start_method": change.start_method,
    }


def _has_other_persistence(pipeline: Pipeline, setting: Setting) -> bool:
    """Was it measured with workers that end with the epoch, and shall keep them?"""
    settings = (t.setting for t in pipeline.trials if is_same_load(t.setting, setting))
    return any(one.persistent_workers != setting.persistent_workers for one in settings)


def _describe_pinning(
    pipeline: Pipeline, scenario: Scenario, setting: Setting, *, has_gpu: bool
) -> str:
    """What is to be said of pin_memory; without a GPU, what it takes beside one."""
    if has_gpu or not setting.pin_memory:
        return PINNING_NOTE if has_gpu else NO_GPU_NOTE
    guess = ThroughputModel(pipeline=replace(pipeline, pins=True), scenario=scenario).predict(
        setting
    )
    taken = 1e3 * pipeline.contents.copy_seconds
    cost = f"{NO_GPU_NOTE}; with a GPU a thread would copy each batch in {taken:.2g} ms, at"
    return f"{cost} {guess.samples_per_second:,.0f} samples/s (modelled)"


def _apply_start_method(
    search: SettingSearch, change: WhatIfChange, pipeline: Pipeline
) -> Pipeline:
    """The pipeline with workers that are started in another way."""
    method = change.start_method
    if not method or method == pipeline.start_method:
        return pipeline
    trials = search.startup_trials.get(method)
    return replace(
        pipeline,
        start_method=method,
        startup_seconds=trials.first_batch_seconds if trials else None,
        ending_seconds=trials.ending_seconds if trials else None,
        startup_workers=trials.setting.num_workers if trials else None,
    )


def _apply_one_thread(pipeline: Pipeline, prediction: Prediction) -> Prediction:
    """With one thread in each worker, whether the others have worked or spun."""
    usual = (
        ThroughputModel(pipeline=pipeline, is_corrected=False)
        .predict(prediction.setting)
        .batch_seconds
    )
    ratios = [
        ThroughputModel(pipeline=other, is_corrected=False)
        .predict(prediction.setting)
        .batch_seconds
        / usual
        for other in apply_counterfactual(pipeline, _ONE_THREAD)
    ]
    middle = math.prod(ratios) ** (1 / len(ratios))
    spread = (max(ratios) / min(ratios)) ** 0.5
    seconds = prediction.batch_seconds * middle
    step = prediction.batch_seconds - prediction.wait_seconds
    return replace(
        prediction,
        samples_per_second=prediction.samples_per_second / middle,
        low=prediction.low / middle / spread,
        high=prediction.high / middle * spread,
        batch_seconds=seconds,
        wait_seconds=max(0.0, seconds - step),
        measured=False,
    )


def split_epoch(pipeline: Pipeline, prediction: Prediction) -> dict[str, float] | None:
    """Seconds of an epoch, the start of its workers and their end apart."""
    samples = pipeline.samples
    if samples is None:
        return None
    is_persistent = prediction.setting.persistent_workers
    workers = prediction.setting.num_workers
    return {
        "steady": samples / prediction.samples_per_second,
        "startup": 0.0 if is_persistent else prediction.first_batch_seconds,
        "ending": 0.0 if is_persistent else estimate_ending(pipeline, workers),
    }


def validate_change(
    search: SettingSearch, change: WhatIfChange, loaded_target: TargetLoaded
) -> None:
    """Raise Refused where batches of the size to imagine cannot be, or be full."""
    size, samples = change.batch, search.base_pipeline.samples
    if size:
        refuse_batch_size(search.base_pipeline.target, "--batch", loaded_target)
    if size and loaded_target.drop_last and samples is not None and samples < size:
        message = f"{search.base_pipeline.target}: with --batch {size} {NO_BATCH}: "
        raise TargetRefusedError(message + explain_too_few(samples, size))


def probe_pipeline(search: SettingSearch, start_method: str | None = None) -> None:
    """What has to be measured before anything can be imagined; raises Failed."""
    search.runner.extra_seconds = search.runner.seconds_left / _WINDOW_FRACTION
    search.probe()
    if start_method and start_method not in {"fork", search.base_pipeline.start_method}:
        search.measure_startup(start_method, search.runner.seconds_left / 8)
    for setting in _list_extra_settings(search):
        if (
            search.runner.seconds_left > search.estimate_trial_seconds()
            and not search.ledger.find_trials(setting)
        ):
            search.measure(setting, 1.0)
    spins = any(map(has_spinning_threads, search.ledger.trials))
    for _ in range(_SPINNING_REPEATS if spins else _REPEATS):
        _repeat_many_workers(search)


def _list_extra_settings(search: SettingSearch) -> Iterator[Setting]:
    """
    Many workers, and a number between them and the processors.

    Where the main process receives no faster, longer queues count too: what waits in
    them is no longer in its caches.
    """
    wide = min(8, search.count_max_workers())
    cores = min(wide, max(2, math.floor(search.limits.cpus)))
    yield search.make_setting(wide)
    yield search.make_setting(round((cores * wide) ** 0.5))
    if any(map(_is_receive_heavy, search.ledger.trials)):
        yield search.make_setting(wide, 4)


def _is_receive_heavy(trial: Trial) -> bool:
    """Does the main process compute much in order to receive?"""
    costs = trial.costs
    if costs is None or not trial.setting.num_workers:
        return False
    return costs.next_cpu > _RECEIVE_SHARE * trial.batch_seconds


def _repeat_many_workers(search: SettingSearch) -> None:
    """
    Measure settings of several workers once more, in other processes.

    Workers that compete for processors run at another speed each time: one window
    says little of the next. The one that was measured least comes first.
    """
    settings = [one for one in search.ledger.list_settings() if one.num_workers > 1]
    for one in sorted(settings, key=lambda one: len(search.ledger.find_trials(one))):
        if search.runner.seconds_left > search.estimate_trial_seconds():
            search.measure(one, 1.0)


def has_spinning_threads(trial: Trial) -> bool:
    """Do threads of a library compute in its workers beside those that fetch?"""
    costs = trial.costs
    return (
        costs is not None
        and trial.costs_workers > 0
        and costs.fetch_process > _SPINNING_RATIO * costs.fetch_cpu
    )


__all__ = ["WhatIfChange", "predict_change", "probe_pipeline", "validate_change"]
