"""Which limits bind: without them, something faster than the choice is expected."""

import math
from collections.abc import Iterator

from pipedoctor.facts import Pipeline, Setting
from pipedoctor.tune import promise
from pipedoctor.tune.predict import Model, World
from pipedoctor.tune.search import WORTH, Search

_MORE = ((1.25, 1), (2.0, 4))
"""Times as many workers as may be tried, and so many more at least."""
_PROCESSORS = 2.0
"""Times as many processors."""
_LITTLE = 0.1
"""A gain of so many more that workers which compute at the same moment explain."""


def binding(search: Search, model: Model, chosen: Setting) -> dict[str, str]:
    """
    The limits that bind, by their names, with what the cheapest faster setting needs.

    Faster is what would have been chosen: by `WORTH`, and no more than workers,
    processors and the consumer allow.
    """
    least = model.predict(chosen).samples_per_second * (1 + WORTH)
    found: dict[str, str] = {}
    if _more_processors(search, model, chosen) > least:
        found["CPUs"] = search.bounds.processors
    if any(_rate(model, wide) > least for wide in _wider(search, model.seen, chosen)):
        found["workers"] = search.bounds.enough
    for setting in search.grid():
        broken = search.bounds.forbids(model.predict(setting), model.seen.contents)
        if broken and _rate(model, setting) > least:
            found.setdefault(broken.partition(":")[0], broken)
    return found


def _rate(model: Model, setting: Setting) -> float:
    """Samples per second that can be expected, less a little for each batch held."""
    expected = promise.price(model.predict(setting))
    return min(expected, promise.ceiling(model, setting))


def _wider(search: Search, seen: Pipeline, chosen: Setting) -> Iterator[Setting]:
    """More workers than may be tried, where as many as may be are the choice."""
    most = search.bounds.max_workers
    if chosen.num_workers < most:
        return
    for times, more in _MORE:
        workers = max(math.ceil(times * most), most + more)
        if workers <= _batches(seen):
            yield search.of(workers)


def _batches(seen: Pipeline) -> float:
    """Of an epoch; where it has no known end, without one."""
    samples, size = seen.samples, seen.start.batch_size
    return samples / size if samples and size else math.inf


def _more_processors(search: Search, model: Model, chosen: Setting) -> float:
    """Samples per second of what more processors make faster; 0: of nothing."""
    cpus = _PROCESSORS * model.seen.cpus
    numbers = (2 * chosen.num_workers, math.ceil(cpus))
    many = (search.of(min(number, search.most())) for number in numbers)
    here = Model(seen=model.seen, corrected=False)
    there = Model(seen=model.seen, corrected=False, world=World(cores=cpus))
    best = 0.0
    for setting in (chosen, *many):
        guess = model.predict(setting)
        plain = here.predict(setting).samples_per_second
        times = there.predict(setting).samples_per_second / plain
        allowed = not search.bounds.forbids(guess, model.seen.contents)
        if allowed and times > 1 + _LITTLE:
            best = max(best, times * guess.samples_per_second)
    return best
