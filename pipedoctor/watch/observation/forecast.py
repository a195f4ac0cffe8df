"""Which number of workers the model expects to be the best, by what was watched."""

import math
from collections.abc import Sequence

from msgspec.structs import replace

from pipedoctor.facts import Pipeline, Setting
from pipedoctor.tune.model.predict import ThroughputModel

_WORKER_COUNTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
_MAX_WORKERS_PER_CPU = 4
"""Workers for each CPU: those that only wait need none."""
_SUFFICIENT_SHARE = 0.97
"""Share of the best rate, with fewer workers."""
_MIN_GROWTH = 1.005
"""Times the rate with fewer workers, or more of them help no more."""
_MIN_SPEEDUP = 1.05
"""Times as fast as now, or it is not worth a change."""


def forecast_best(pipeline: Pipeline, room: int | None) -> Pipeline:
    """The same with the best setting, if that is another; `room`: workers more."""
    if not pipeline.trials or pipeline.observed is None:
        return pipeline
    model, start = ThroughputModel(pipeline=pipeline, is_coarse=True), pipeline.start
    most = min(32, max(4, _MAX_WORKERS_PER_CPU * math.ceil(pipeline.cpus)))
    if room is not None:
        most = min(most, start.num_workers + room)
    settings = [_set_workers(start, number) for number in _WORKER_COUNTS if number <= most]
    rates = _predict_rates(model, settings, start.num_workers)
    if not rates:
        return pipeline
    now = pipeline.trials[0].samples_per_second
    good = [s for s, rate in rates.items() if rate >= _SUFFICIENT_SHARE * max(rates.values())]
    best = min(good, key=lambda s: s.num_workers)
    if rates[best] < _MIN_SPEEDUP * now or best.num_workers == start.num_workers:
        return pipeline
    return replace(pipeline, best=best)


def _predict_rates(
    model: ThroughputModel, settings: Sequence[Setting], workers: int
) -> dict[Setting, float]:
    """
    Samples per second of settings with more and more workers.

    Until more than there are now help no more: batches all take the same here, so that
    whatever holds them up then holds up still more workers as well.
    """
    rates: dict[Setting, float] = {}
    for setting in settings:
        best = max(rates.values(), default=0.0)
        rates[setting] = model.predict(setting).samples_per_second
        if setting.num_workers > workers and rates[setting] < _MIN_GROWTH * best:
            break
    return rates


def _set_workers(start: Setting, workers: int) -> Setting:
    prefetch = start.prefetch_factor or 2
    return replace(start, num_workers=workers, prefetch_factor=prefetch)
