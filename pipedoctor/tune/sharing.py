"""What workers share: the storage, the processors; as far as trials show it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from pipedoctor.facts import Costs, Pipeline, Trial

_NOISE = 0.05
"""Waiting below this share of the computing is noise of the clocks."""
_BUSY = 0.1
"""CPU of other threads, as a share of the thread that fetches, that is worth a look."""
_GROWN = 1.25
_STARVED = 0.2
_FREE, _FULL = 0.8, 0.85
"""Shares of the processors."""
_SLOWEST = 3.0
_LEAST = 1e-6
_SHARED, _WAITED = 0.7, 0.15


@dataclass(frozen=True, kw_only=True)
class Ceiling:
    """A trial whose workers waited for each other, seconds for a batch."""

    workers: int
    rate: float
    waiting: float
    waiting_share: float


def ceiling(seen: Pipeline, one: Trial) -> Ceiling | None:
    """The trial in which waiting grew with the workers, if there is one."""
    alone = one.costs.waiting if one.costs else 0.0
    for trial in sorted(seen.trials, key=lambda t: -t.costs_of):
        if trial.costs is None or trial.costs_of <= max(1, one.costs_of):
            continue
        free = trial.window.own_cores < _FREE * trial.window.cpus
        starved = trial.wait_seconds > _WAITED * trial.batch_seconds
        if free and starved and trial.costs.waiting * _SHARED > alone:
            return Ceiling(
                workers=trial.costs_of,
                rate=trial.samples_per_second,
                waiting=trial.costs.waiting,
                waiting_share=trial.costs.waiting_share,
            )
    return None


def waiting_of(costs: Costs) -> float:
    """Seconds that a batch waits for its data."""
    return 0.0 if costs.waiting < _NOISE * costs.fetch_cpu else costs.waiting


def crowded(seen: Pipeline) -> bool:
    """Do other threads of a worker compute beside the one that fetches?"""
    return any(
        _beside(trial.costs) for trial in seen.trials if trial.costs and trial.costs_of
    )


def _beside(costs: Costs) -> bool:
    others = costs.fetch_process - costs.fetch_cpu - costs.send_cpu
    return others > _BUSY * costs.fetch_cpu and others > _BUSY * costs.fetch_wall


def storage(seen: Pipeline) -> float:
    """
    Requests that make progress at once, by Little's law.

    Known where waiting grew with the workers although processors were free.
    """
    one = _of_one(seen)
    waiting = waiting_of(one) if one else 0.0
    if not waiting:
        return math.inf
    found = [
        waiting / trial.batch_seconds
        for trial in seen.trials
        if trial.costs_of > 1 and _queues(trial, waiting)
    ]
    return max(min(found, default=math.inf), 0.5)


def _queues(trial: Trial, alone: float) -> bool:
    """Did its workers wait for each other at the storage?"""
    return (
        trial.costs is not None
        and trial.costs.waiting > _GROWN * alone
        and trial.wait_seconds > _STARVED * trial.batch_seconds
        and trial.window.own_cores < _FREE * trial.window.cpus
    )


def crowding(seen: Pipeline) -> float:
    """How much slower computing is when all processors are busy."""
    one = _of_one(seen)
    full = [
        trial.costs.made_cpu
        for trial in seen.trials
        if trial.costs
        and trial.costs_of > 1
        and trial.window.own_cores > _FULL * trial.window.cpus
    ]
    if one is None or not full:
        return 0.0
    alone = one.made_cpu
    return min(_SLOWEST, max(0.0, min(full) / max(alone, _LEAST) - 1))


def _of_one(seen: Pipeline) -> Costs | None:
    return next((t.costs for t in seen.trials if t.costs_of == 1), None)


def tail(items: Iterable[tuple[float, float]]) -> float:
    """Share of the time that goes into items of more than five times the median."""
    walls = sorted(wall for wall, _ in items)
    if not walls or not sum(walls):
        return 0.0
    middle = walls[len(walls) // 2]
    return sum(wall - middle for wall in walls if wall > 5 * middle) / sum(walls)
