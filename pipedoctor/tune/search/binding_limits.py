"""Which limits bind: without them, something faster than the choice is expected."""

import math
from collections.abc import Iterator

from pipedoctor.facts import Pipeline, Setting
from pipedoctor.tune.model.predict import Scenario, ThroughputModel
from pipedoctor.tune.search import expected_gain
from pipedoctor.tune.search.search import MIN_GAIN, SettingSearch

_WORKER_STEPS = ((1.25, 1), (2.0, 4))
"""Times as many workers as may be tried, and so many more at least."""
_PROCESSOR_FACTOR = 2.0
"""Times as many processors."""
_MIN_PROCESSOR_GAIN = 0.1
"""A gain of so many more that workers which compute at the same moment explain."""


def find_binding_limits(
    search: SettingSearch, model: ThroughputModel, choice: Setting
) -> dict[str, str]:
    """
    The limits that bind, by their names, with what the cheapest faster setting needs.

    Faster is what would have been chosen: by `WORTH`, and no more than workers,
    processors and the consumer allow.
    """
    least = model.predict(choice).samples_per_second * (1 + MIN_GAIN)
    binding: dict[str, str] = {}
    if _try_more_processors(search, model, choice) > least:
        binding["CPUs"] = search.limits.cpus_message
    if any(
        _estimate_rate(model, wide) > least
        for wide in _list_wider_settings(search, model.pipeline, choice)
    ):
        binding["workers"] = search.limits.workers_message
    for setting in search.list_settings():
        broken = search.limits.explain_rejection(model.predict(setting), model.pipeline.contents)
        if broken and _estimate_rate(model, setting) > least:
            binding.setdefault(broken.partition(":")[0], broken)
    return binding


def _estimate_rate(model: ThroughputModel, setting: Setting) -> float:
    """Samples per second that can be expected, less a little for each batch held."""
    expected = expected_gain.discount_rate(model.predict(setting))
    return min(expected, expected_gain.estimate_max_rate(model, setting))


def _list_wider_settings(
    search: SettingSearch, pipeline: Pipeline, choice: Setting
) -> Iterator[Setting]:
    """More workers than may be tried, where as many as may be are the choice."""
    most = search.limits.max_workers
    if choice.num_workers < most:
        return
    for times, more in _WORKER_STEPS:
        workers = max(math.ceil(times * most), most + more)
        if workers <= _count_batches(pipeline):
            yield search.make_setting(workers)


def _count_batches(pipeline: Pipeline) -> float:
    """Of an epoch; where it has no known end, without one."""
    samples, size = pipeline.samples, pipeline.start.batch_size
    return samples / size if samples and size else math.inf


def _try_more_processors(search: SettingSearch, model: ThroughputModel, choice: Setting) -> float:
    """Samples per second of what more processors make faster; 0: of nothing."""
    cpus = _PROCESSOR_FACTOR * model.pipeline.cpus
    numbers = (2 * choice.num_workers, math.ceil(cpus))
    many = (search.make_setting(min(number, search.count_max_workers())) for number in numbers)
    current_model = ThroughputModel(pipeline=model.pipeline, is_corrected=False)
    wider_model = ThroughputModel(
        pipeline=model.pipeline, is_corrected=False, scenario=Scenario(cores=cpus)
    )
    best = 0.0
    for setting in (choice, *many):
        guess = model.predict(setting)
        plain = current_model.predict(setting).samples_per_second
        times = wider_model.predict(setting).samples_per_second / plain
        allowed = not search.limits.explain_rejection(guess, model.pipeline.contents)
        if allowed and times > 1 + _MIN_PROCESSOR_GAIN:
            best = max(best, times * guess.samples_per_second)
    return best
