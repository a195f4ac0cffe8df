"""Simulate a loader: its steady state, or one epoch."""

from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from pipedoctor.tune.model.loader_simulation import LoaderSimulation
from pipedoctor.tune.model.types import CPU, EpochRun, SimulationInput, SteadyState

_EVEN_BATCHES, _VARIED_BATCHES = 100, 320
"""Batches to be run where they take about the same, and where they do not."""
_EVEN_RATIO = 1.3
_COARSE_PART = 0.4
"""Of these batches, where costs are only known roughly."""


def simulate(scene: SimulationInput, *, coarse: bool = False) -> SteadyState:
    """
    Simulate so many batches that the mean settles, a few rounds for each worker.

    `coarse`: fewer of them, in half the time.
    """
    return _simulate_cached(replace(scene, tasks=tuple(scene.tasks)), coarse=coarse)


@lru_cache(maxsize=1024)
def _simulate_cached(scene: SimulationInput, *, coarse: bool) -> SteadyState:
    """The same, cached: a search asks again after each trial that changes no cost."""
    if not scene.workers:
        return _simulate_no_workers(scene)
    each = [sum(task) for task in scene.tasks]
    batches = _VARIED_BATCHES if max(each) > _EVEN_RATIO * min(each) else _EVEN_BATCHES
    batches = round(_COARSE_PART * batches) if coarse else batches
    least = scene.workers * (scene.prefetch + 6)
    return LoaderSimulation(scene, max(batches, least)).run()


def clear_cache() -> None:
    """Simulate everything again from now on; for those who measure how long it takes."""
    _simulate_cached.cache_clear()


def simulate_epoch(
    scene: SimulationInput, batches: int, start_delays: Sequence[float] = ()
) -> EpochRun:
    """
    Run an epoch of so many batches with workers that wait for its first index.

    `start_delays` is by how many seconds each of them comes later than the others.
    """
    epoch = LoaderSimulation(scene, batches, batches)
    epoch.start_delays = start_delays
    epoch.run_batches()
    return EpochRun(first_batch_seconds=epoch.waits[0], seconds=epoch.step_ends[-1])


def _simulate_no_workers(scene: SimulationInput) -> SteadyState:
    """Without workers everything happens in turn."""
    rate = min(1.0, scene.cores / scene.worker_cores)
    slow = min(1.0, scene.cores)
    made = sum(wait + work / rate for wait, work in scene.tasks) / len(scene.tasks)
    made += (scene.pin_seconds or 0.0) / slow
    used = sum(amount / slow if needs == CPU else amount for needs, amount in scene.consumer_phases)
    return SteadyState(batch_seconds=made + used, wait_seconds=made)
