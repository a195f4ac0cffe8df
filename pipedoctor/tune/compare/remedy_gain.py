"""What each remedy would save of an epoch, by the pipeline that was measured."""

import math
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from pipedoctor.check import EPOCH, Counterfactual, Finding, Gain, Severity, Verdict
from pipedoctor.facts import Facts, Pipeline, Setting, Source
from pipedoctor.facts.bench import MIN_WINDOWS
from pipedoctor.facts.source import LoaderCall, Spot
from pipedoctor.tune.compare.counterfactual import apply_counterfactual
from pipedoctor.tune.model.plausible import (
    is_valid_counterfactual,
    is_valid_pipeline,
    is_valid_setting,
)
from pipedoctor.tune.model.predict import (
    Prediction,
    Scenario,
    ThroughputModel,
    is_same_load,
)
from pipedoctor.tune.model.startup import estimate_ending, estimate_start_delays

_DEFAULT_PREFETCH = 2
_MAX_WORKERS = 64
_SHORT_EPOCH = 256
"""Batches of an epoch in which it counts that queues fill and run empty."""


class EpochEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """How long an epoch takes, start of the workers included; `error` is relative."""

    seconds: float
    error: float
    measured: bool


def add_gains(facts: Facts, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The same verdicts; findings whose remedy can be simulated have its gain."""
    seen = facts.get(Pipeline)
    if seen is None or seen.unusable_reason or not _has_measurements(seen):
        return list(verdicts)
    code = facts.get(Source) or Source()
    return [
        replace(v, findings=tuple(_add_gain(f, seen, code) for f in v.findings)) for v in verdicts
    ]


def _has_measurements(pipeline: Pipeline) -> bool:
    """Was the setting of now measured, and one of which every cost is known?"""
    now = any(is_same_load(trial.setting, pipeline.start) for trial in pipeline.trials)
    costs = any(trial.costs is not None for trial in pipeline.trials)
    return now and costs and is_valid_pipeline(pipeline)


def _add_gain(finding: Finding, pipeline: Pipeline, code: Source) -> Finding:
    counterfactual = finding.counterfactual
    if counterfactual is None or not is_about_loader(finding, pipeline, code):
        return finding
    gain = predict_gain(pipeline, counterfactual)
    if gain is None:
        return finding
    harms = gain.basis == "measured" and gain.high < 0
    mild = harms and finding.severity is Severity.SLOWS
    severity = Severity.NOTE if mild else finding.severity
    return replace(finding, gain=gain, severity=severity)


def is_about_loader(finding: Finding, pipeline: Pipeline, code: Source) -> bool:
    """Is it about the loader that was measured, and not about another one?"""
    place = finding.location
    if place is None:
        return True
    calls = [c for c in code.loaders if not c.testing]
    local_calls = [c for c in calls if _is_within_call(place.path, place.line, c)]
    if local_calls and pipeline.made_at is not None:
        return any(
            _is_within_call(pipeline.made_at.path, pipeline.made_at.line, c) for c in local_calls
        )
    same = pipeline.made_at is not None and pipeline.made_at.path == place.path
    return len(calls) <= 1 or (same and not local_calls)


def _is_within_call(path: str, line: int, call: LoaderCall) -> bool:
    at: Spot = call.at
    return at.path == path and at.line <= line <= (at.end_line or at.line)


def predict_gain(
    pipeline: Pipeline,
    counterfactual: Counterfactual,
    measured_setting: Setting | None = None,
) -> Gain | None:
    """
    The gain of a remedy; None where it changes nothing that was measured.

    `arrived` is the setting that it has led to, where that is known already.
    """
    if counterfactual.blas and (thread_gain := _predict_thread_gain(pipeline)) is not None:
        return thread_gain
    setting = measured_setting or find_remedy_setting(pipeline, counterfactual)
    unknown = (counterfactual.uint8 and not pipeline.contents.float_bytes) or (
        counterfactual.opened and (pipeline.wall is None or pipeline.cpu is None)
    )
    if setting is None or unknown:
        return None
    if not (is_valid_setting(setting) and is_valid_counterfactual(counterfactual)):
        return None
    now, then = (
        estimate_epoch(pipeline, pipeline.start),
        estimate_epoch(pipeline, setting, counterfactual),
    )
    left = then.seconds / now.seconds
    error = math.hypot(now.error, then.error)
    return Gain(
        value=1 - left,
        low=1 - left * math.exp(error),
        high=1 - left * math.exp(-error),
        unit=EPOCH,
        basis="measured" if now.measured and then.measured else "modelled",
        seconds=None if pipeline.samples is None else now.seconds - then.seconds,
    )


def _predict_thread_gain(pipeline: Pipeline) -> Gain | None:
    """What one thread for numpy's BLAS saves, where that was measured."""
    threads = pipeline.threads
    if threads is None or threads.ratio.windows < MIN_WINDOWS or not pipeline.start.num_workers:
        return None
    gain = Gain.from_speedup(threads.ratio, EPOCH)
    if pipeline.samples is None:
        return gain
    return replace(gain, seconds=gain.value * estimate_epoch(pipeline, pipeline.start).seconds)


def find_remedy_setting(pipeline: Pipeline, counterfactual: Counterfactual) -> Setting | None:
    """The setting that the remedy leads to; None: there is none to compare with."""
    start = pipeline.start
    if counterfactual.freed:
        return _find_freed_setting(pipeline, counterfactual.freed)
    if counterfactual.tuned:
        return pipeline.best
    workers = start.num_workers if counterfactual.workers is None else counterfactual.workers
    kept = (
        start.persistent_workers if counterfactual.persistent is None else counterfactual.persistent
    )
    ordered = start.in_order if counterfactual.in_order is None else counterfactual.in_order
    return replace(
        start,
        num_workers=workers,
        prefetch_factor=(start.prefetch_factor or _DEFAULT_PREFETCH) if workers else None,
        persistent_workers=bool(workers and kept),
        in_order=ordered or not workers,
    )


def _find_freed_setting(pipeline: Pipeline, limit: str) -> Setting | None:
    """The best setting if this limit did not keep it out; None: it keeps out none."""
    if limit not in pipeline.limits:
        return None
    model = ThroughputModel(pipeline=pipeline)
    most = min(_MAX_WORKERS, 4 * math.ceil(pipeline.cpus))
    settings = (
        find_remedy_setting(pipeline, Counterfactual(workers=number)) for number in range(most + 1)
    )
    guesses = [model.predict(setting) for setting in settings if setting is not None]
    return max(guesses, key=lambda g: g.samples_per_second).setting


def estimate_epoch(
    pipeline: Pipeline, setting: Setting, counterfactual: Counterfactual | None = None
) -> EpochEstimate:
    """An epoch with this setting, in the world of the counterfactual."""
    counterfactual = counterfactual or Counterfactual()
    world = Scenario(
        cores=counterfactual.cores,
        storage=counterfactual.storage,
        uint8=counterfactual.uint8,
    )
    model = ThroughputModel(pipeline=pipeline, scenario=world)
    factors = [
        _simulate_batch(other, setting) for other in apply_counterfactual(pipeline, counterfactual)
    ]
    if not factors:
        return _scale_epoch(model, setting)
    usual = _simulate_batch(pipeline, setting)
    ratios = [math.log(factor / usual) for factor in factors]
    middle = sum(ratios) / len(ratios)
    return _scale_epoch(model, setting, math.exp(middle), max(ratios) - min(ratios))


def _simulate_batch(pipeline: Pipeline, setting: Setting) -> float:
    """Seconds of a batch by the simulation alone."""
    return ThroughputModel(pipeline=pipeline, is_corrected=False).predict(setting).batch_seconds


def _scale_epoch(
    model: ThroughputModel,
    setting: Setting,
    factor: float = 1.0,
    uncertainty: float = 0.0,
) -> EpochEstimate:
    guess = model.predict(setting)
    error = math.log(guess.high / guess.low) / 2
    return EpochEstimate(
        seconds=_sum_epoch_seconds(model, guess, factor),
        error=math.hypot(error, uncertainty / 2),
        measured=guess.measured and factor == 1.0,
    )


def _sum_epoch_seconds(model: ThroughputModel, prediction: Prediction, factor: float) -> float:
    """An epoch with its workers' start and end; without an end, one batch."""
    seen, setting = model.pipeline, prediction.setting
    batch, each = setting.batch_size or 1, prediction.batch_seconds * factor
    batches = (seen.samples or batch) / batch * seen.count_copies(setting)
    if seen.samples is None or not setting.num_workers:
        return each * batches
    is_persistent = setting.persistent_workers
    ends = 0.0 if is_persistent else estimate_ending(seen, setting.num_workers)
    if batches > _SHORT_EPOCH:
        return each * batches + _estimate_startup(seen, prediction) + ends
    slower = each / model.simulate_steady_state(setting).batch_seconds
    made = model.simulate_epoch(setting, 1).first_batch_seconds
    behind = (
        [] if is_persistent else estimate_start_delays(seen, setting.num_workers, made * slower)
    )
    run = model.simulate_epoch(
        setting, max(1, round(batches)), [seconds / slower for seconds in behind]
    )
    start = 0.0 if is_persistent else prediction.first_batch_seconds - made * slower
    return max(0.0, start) + run.seconds * slower + ends


def _estimate_startup(pipeline: Pipeline, prediction: Prediction) -> float:
    """Seconds at the beginning of every epoch until workers deliver."""
    if not prediction.setting.num_workers:
        return 0.0
    if prediction.setting.persistent_workers:  # they wait, but their queues are empty
        return max(0.0, _sum_batch_seconds(pipeline, prediction) - prediction.wait_seconds)
    return max(0.0, prediction.first_batch_seconds - prediction.batch_seconds)


def _sum_batch_seconds(pipeline: Pipeline, prediction: Prediction) -> float:
    """Seconds in which one worker makes a batch and hands it over."""
    with_costs = [trial for trial in pipeline.trials if trial.costs and trial.costs_workers]
    cheapest = min(with_costs, key=lambda trial: trial.costs_workers, default=None)
    if cheapest is None or cheapest.costs is None:
        return 0.0
    costs = cheapest.costs
    batch = pipeline.compute_batch_scale(prediction.setting)
    made = costs.fetch_wall + costs.collate_wall + costs.send_wall + costs.receive_wall
    return batch * made
