"""What another window may still gain: by the model, and by what nothing exceeds."""

import math
from collections.abc import Iterator
from statistics import NormalDist

from pipedoctor.facts import Pipeline, Setting, Trial
from pipedoctor.tune.model.predict import Prediction, ThroughputModel

MIN_EXPECTED_GAIN = 0.015
"""An expected gain that is not worth another window."""
UNORDERED_COST = 0.05
"""The least gain for which samples may come in another order."""
_QUEUED_COST = 0.0004
"""What a batch that has to be held in memory must gain."""
_TYPICAL_ERROR_SHARE = 0.6
"""Errors of the model are that share of what holds in the worst of cases."""
_Z_90 = 1.645
_RATE_SLACK = 0.03
"""How far a rate may be above what costs allow, which have errors of their own."""
_MIN_SECONDS = 1e-6
_NORMAL = NormalDist()


def discount_rate(prediction: Prediction) -> float:
    """The rate, less a little for each batch that has to be held in memory."""
    unordered = 0 if prediction.setting.in_order else UNORDERED_COST
    return prediction.samples_per_second * (
        1 - _QUEUED_COST * prediction.setting.queued_batches - unordered
    )


def estimate_gain(model: ThroughputModel, prediction: Prediction, best: Trial) -> float:
    """The expected gain of a setting that was not measured, as a share of the best."""
    rate = best.samples_per_second
    room = math.log(max(estimate_max_rate(model, prediction.setting) / rate, _MIN_SECONDS))
    error = _TYPICAL_ERROR_SHARE * math.log(prediction.high / prediction.low) / (2 * _Z_90)
    return _compute_mean_gain(math.log(discount_rate(prediction) / rate), error, room)


def estimate_loss(best: Trial, rival: Trial) -> float:
    """The mean loss if `best` is taken although `rival` may be faster."""
    error = math.hypot(best.spread or 0.0, rival.spread or 0.0)
    log_ratio = math.log(rival.samples_per_second / best.samples_per_second)
    return _compute_mean_gain(log_ratio, error, math.inf)


def estimate_max_rate(model: ThroughputModel, setting: Setting) -> float:
    """Samples per second that no setting with so many workers exceeds."""
    least = max(_list_min_seconds(model.pipeline, setting), default=0.0) / (1 + _RATE_SLACK)
    seconds = max(model.step_seconds, least, _MIN_SECONDS)
    return (setting.batch_size or 1) / seconds / model.pipeline.count_copies(setting)


def _list_min_seconds(pipeline: Pipeline, setting: Setting) -> Iterator[float]:
    """Seconds of a batch that workers, and processors, need at least."""
    trials = [t for t in pipeline.trials if t.costs_workers and t.costs]
    made = [
        t.costs.fetch_wall - t.costs.fetch_delay + t.costs.collate_wall for t in trials if t.costs
    ]
    if made and setting.num_workers:
        yield min(made) / setting.num_workers
        yield min(t.window.own_cores * t.batch_seconds for t in trials) / pipeline.cpus


def _compute_mean_gain(mean: float, error: float, room: float) -> float:
    """The mean of what is above zero, and below the room, of a normal distribution."""
    if room <= 0:
        return 0.0
    above = _compute_mean_above(mean, error, 0.0)
    return above - (_compute_mean_above(mean, error, room) if room < math.inf else 0.0)


def _compute_mean_above(mean: float, error: float, least: float) -> float:
    if error <= 0:
        return max(0.0, mean - least)
    at = (mean - least) / error
    return error * (_NORMAL.pdf(at) + at * _NORMAL.cdf(at))
