"""What another window may still gain: by the model, and by what nothing exceeds."""

import math
from collections.abc import Iterator
from statistics import NormalDist

from pipedoctor.facts import Pipeline, Setting, Trial
from pipedoctor.tune.predict import Model, Prediction

SURE = 0.015
"""An expected gain that is not worth another window."""
UNORDERED = 0.05
"""The least gain for which samples may come in another order."""
_QUEUED = 0.0004
"""What a batch that has to be held in memory must gain."""
_USUAL = 0.6
"""Errors of the model are that share of what holds in the worst of cases."""
_Z = 1.645
_SLACK = 0.03
"""How far a rate may be above what costs allow, which have errors of their own."""
_LEAST = 1e-6
_PLAIN = NormalDist()


def price(guess: Prediction) -> float:
    """The rate, less a little for each batch that has to be held in memory."""
    unordered = 0 if guess.setting.in_order else UNORDERED
    return guess.samples_per_second * (1 - _QUEUED * guess.setting.queued - unordered)


def gain(model: Model, guess: Prediction, best: Trial) -> float:
    """The expected gain of a setting that was not measured, as a share of the best."""
    rate = best.samples_per_second
    room = math.log(max(ceiling(model, guess.setting) / rate, _LEAST))
    error = _USUAL * math.log(guess.high / guess.low) / (2 * _Z)
    return _expected(math.log(price(guess) / rate), error, room)


def loss(best: Trial, rival: Trial) -> float:
    """What is lost on average if the one is taken although the other may be faster."""
    error = math.hypot(best.spread or 0.0, rival.spread or 0.0)
    apart = math.log(rival.samples_per_second / best.samples_per_second)
    return _expected(apart, error, math.inf)


def ceiling(model: Model, setting: Setting) -> float:
    """Samples per second that no setting with so many workers exceeds."""
    least = max(_floors(model.seen, setting), default=0.0) / (1 + _SLACK)
    seconds = max(model.step_seconds, least, _LEAST)
    return (setting.batch_size or 1) / seconds / model.seen.copies(setting)


def _floors(seen: Pipeline, setting: Setting) -> Iterator[float]:
    """Seconds of a batch that workers, and processors, need at least."""
    trials = [t for t in seen.trials if t.costs_of and t.costs]
    made = [
        t.costs.fetch_wall - t.costs.fetch_delay + t.costs.collate_wall
        for t in trials
        if t.costs
    ]
    if made and setting.num_workers:
        yield min(made) / setting.num_workers
        yield min(t.window.own_cores * t.batch_seconds for t in trials) / seen.cpus


def _expected(mean: float, error: float, room: float) -> float:
    """The mean of what is above zero, and below the room, of a normal distribution."""
    if room <= 0:
        return 0.0
    above = _above(mean, error, 0.0)
    return above - (_above(mean, error, room) if room < math.inf else 0.0)


def _above(mean: float, error: float, least: float) -> float:
    if error <= 0:
        return max(0.0, mean - least)
    at = (mean - least) / error
    return error * (_PLAIN.pdf(at) + at * _PLAIN.cdf(at))
