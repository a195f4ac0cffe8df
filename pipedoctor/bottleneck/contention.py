"""What workers share: the storage, the processors; as far as trials show it."""

import math
from collections.abc import Iterable

import msgspec

from pipedoctor.facts import Costs, Pipeline, Trial

_CLOCK_NOISE = 0.05
"""Waiting below this share of the computing is noise of the clocks."""
_MIN_THREAD_SHARE = 0.1
"""CPU of other threads, as a share of the thread that fetches, that is worth a look."""
_MIN_WAIT_GROWTH = 1.25
_MIN_STARVED_SHARE = 0.2
_FREE_CPU_SHARE, _FULL_CPU_SHARE = 0.8, 0.85
"""Shares of the processors."""
_MAX_CONTENTION = 3.0
_MIN_SECONDS = 1e-6
_MAX_LONE_WAITING, _MIN_WAIT_SHARE = 0.7, 0.15


class StorageLimit(msgspec.Struct, frozen=True, kw_only=True):
    """A trial whose workers waited for each other, seconds for a batch."""

    workers: int
    rate: float
    waiting: float
    waiting_share: float


def find_storage_limit(pipeline: Pipeline, one: Trial) -> StorageLimit | None:
    """The trial in which waiting grew with the workers, if there is one."""
    alone = one.costs.fetch_wait if one.costs else 0.0
    for trial in sorted(pipeline.trials, key=lambda t: -t.costs_workers):
        if trial.costs is None or trial.costs_workers <= max(1, one.costs_workers):
            continue
        free = trial.window.own_cores < _FREE_CPU_SHARE * trial.window.cpus
        starved = trial.wait_seconds > _MIN_WAIT_SHARE * trial.batch_seconds
        if free and starved and trial.costs.fetch_wait * _MAX_LONE_WAITING > alone:
            return StorageLimit(
                workers=trial.costs_workers,
                rate=trial.samples_per_second,
                waiting=trial.costs.fetch_wait,
                waiting_share=trial.costs.fetch_wait_share,
            )
    return None


def compute_waiting(costs: Costs) -> float:
    """Seconds that a batch waits for its data."""
    return 0.0 if costs.fetch_wait < _CLOCK_NOISE * costs.fetch_cpu else costs.fetch_wait


def has_busy_threads(pipeline: Pipeline) -> bool:
    """Do other threads of a worker compute beside the one that fetches?"""
    return any(
        _has_other_threads(trial.costs)
        for trial in pipeline.trials
        if trial.costs and trial.costs_workers
    )


def _has_other_threads(costs: Costs) -> bool:
    others = costs.fetch_process - costs.fetch_cpu - costs.send_cpu
    return (
        others > _MIN_THREAD_SHARE * costs.fetch_cpu
        and others > _MIN_THREAD_SHARE * costs.fetch_wall
    )


def estimate_parallel_reads(pipeline: Pipeline) -> float:
    """
    Requests that make progress at once, by Little's law.

    Known where waiting grew with the workers although processors were free.
    """
    one = _find_one_worker_costs(pipeline)
    waiting = compute_waiting(one) if one else 0.0
    if not waiting:
        return math.inf
    found = [
        waiting / trial.batch_seconds
        for trial in pipeline.trials
        if trial.costs_workers > 1 and _is_storage_bound(trial, waiting)
    ]
    return max(min(found, default=math.inf), 0.5)


def _is_storage_bound(trial: Trial, lone_waiting: float) -> bool:
    """Did its workers wait for each other at the storage?"""
    return (
        trial.costs is not None
        and trial.costs.fetch_wait > _MIN_WAIT_GROWTH * lone_waiting
        and trial.wait_seconds > _MIN_STARVED_SHARE * trial.batch_seconds
        and trial.window.own_cores < _FREE_CPU_SHARE * trial.window.cpus
    )


def estimate_cpu_contention(pipeline: Pipeline) -> float:
    """How much slower computing is when all processors are busy."""
    one = _find_one_worker_costs(pipeline)
    full = [
        trial.costs.cpu_per_batch
        for trial in pipeline.trials
        if trial.costs
        and trial.costs_workers > 1
        and trial.window.own_cores > _FULL_CPU_SHARE * trial.window.cpus
    ]
    if one is None or not full:
        return 0.0
    alone = one.cpu_per_batch
    return min(_MAX_CONTENTION, max(0.0, min(full) / max(alone, _MIN_SECONDS) - 1))


def _find_one_worker_costs(pipeline: Pipeline) -> Costs | None:
    return next((t.costs for t in pipeline.trials if t.costs_workers == 1), None)


def compute_tail_share(items: Iterable[tuple[float, float]]) -> float:
    """Share of the time that goes into items of more than five times the median."""
    walls = sorted(wall for wall, _ in items)
    if not walls or not sum(walls):
        return 0.0
    middle = walls[len(walls) // 2]
    return sum(wall - middle for wall in walls if wall > 5 * middle) / sum(walls)


def find_costs(pipeline: Pipeline) -> tuple[Trial, Costs] | None:
    """The costs in a worker if there are any, else those without."""
    found = [t for t in pipeline.trials if t.costs]
    found.sort(key=lambda t: (t.costs_workers != 1, t.costs_workers == 0, t.costs_workers))
    if not found or found[0].costs is None:
        return None
    return found[0], found[0].costs


def find_no_worker_trial(pipeline: Pipeline) -> Trial | None:
    """Where the main process makes the batches."""
    return next((t for t in pipeline.trials if t.costs_workers == 0 and t.costs), None)
