"""What a setting holds: memory of workers, /dev/shm, descriptors; and between what."""

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from pipedoctor.facts import Pipeline, Setting, Trial

Interval = tuple[float, float]
"""The least and the most that is to be expected."""
_GROWTH_NOISE = 3 << 19
"""
Bytes by which a worker may grow within a window, only since it gets going.

A quarter of it was seen of workers that do not grow any more.
"""
_MEASURED_ERROR, _GUESSED_ERROR = 0.15, 0.3
"""How far memory may be from what was measured, and from what was not."""
_SHM_OVERHEAD = 1.1
"""Shared memory beside that of the tensors, as a factor."""


def estimate_memory(pipeline: Pipeline, setting: Setting) -> int:
    """Private memory of all workers, as trials of some seconds saw it, in bytes."""
    each = {
        trial.setting.num_workers: trial.memory_bytes / trial.setting.num_workers
        for trial in pipeline.trials
        if trial.setting.num_workers and trial.memory_bytes
    }
    return _scale_to_workers(pipeline, setting, each)


def estimate_epoch_memory(pipeline: Pipeline, setting: Setting) -> int | None:
    """
    The same at the end of an epoch, by how the workers grew; None: unknown.

    What is not freed grows with the samples. Pages of the parent are copied once:
    samples that lie on one page find it copied already.
    """
    workers, samples = setting.num_workers, pipeline.samples
    known = [rate for t in pipeline.trials if (rate := _measure_growth(t)) is not None]
    if not workers or not samples or not known:
        return None
    rates = max(known, key=lambda rates: rates.samples_made)  # warming up counts least
    each = {
        trial.setting.num_workers: trial.memory_bytes / trial.setting.num_workers
        - rates.estimate_growth(trial.growth.made * (trial.setting.batch_size or 1), samples)
        for trial in pipeline.trials
        if trial.setting.num_workers and trial.memory_bytes and trial.growth
    }
    more = rates.estimate_growth(samples / workers, samples)
    return max(
        estimate_memory(pipeline, setting),
        _scale_to_workers(pipeline, setting, each) + int(workers * more),
    )


def _scale_to_workers(
    pipeline: Pipeline, setting: Setting, worker_bytes: Mapping[int, float]
) -> int:
    """
    Bytes of all workers, by those of one where there are so many.

    Of one worker they are more than its share of many: pages that the main process
    has changed since the fork are private to one, shared by several.
    """
    if not worker_bytes or not setting.num_workers:
        return 0
    more = (
        pipeline.compute_batch_scale(setting) - 1
    ) * pipeline.contents.bytes  # samples that wait to be collated
    alone = max(0.0, _interpolate(worker_bytes, setting.num_workers) + more)
    return int(setting.num_workers * alone)


class _GrowthRates(NamedTuple):
    """Bytes of a worker for each of its samples; samples that it had made by then."""

    new_bytes: float
    copied_bytes: float
    shared_bytes: float
    samples_made: float

    def estimate_growth(self, number: float, samples: int) -> float:
        """Bytes by which it has grown after so many of all samples."""
        return self.new_bytes * number + self.estimate_copied(number, samples)

    def estimate_copied(self, number: float, samples: int) -> float:
        """
        Bytes that it has copied after so many samples, drawn from all at random.

        By then it could have copied what is shared and what was copied already; as
        long as no two samples lie on one page, each copies what the first ones did.
        """
        pages = self.shared_bytes + self.copied_bytes * self.samples_made
        if pages <= 0:
            return 0.0
        each = max(1.0, self.copied_bytes * samples / pages)  # samples of a page
        part = min(1.0, number / samples)
        copied: float = pages * (1 - (1 - part) ** each)
        return copied if each > 1 else self.copied_bytes * number


def _measure_growth(trial: Trial) -> _GrowthRates | None:
    """How a worker grew; what is within the noise is nothing."""
    seen, size = trial.growth, trial.setting.batch_size or 1
    if seen is None:
        return None
    new, copied = (
        rate / size if rate * seen.made > _GROWTH_NOISE else 0.0 for rate in (seen.new, seen.copied)
    )
    return _GrowthRates(new, copied, float(seen.shared), seen.made * size)


def bound_memory(pipeline: Pipeline, setting: Setting) -> Interval:
    """Between what memory of the workers is to be expected, an epoch long."""
    now = estimate_memory(pipeline, setting)
    is_measured = any(t.setting.num_workers == setting.num_workers for t in pipeline.trials)
    error = _MEASURED_ERROR if is_measured else _GUESSED_ERROR
    return now * (1 - error), max(now, estimate_epoch_memory(pipeline, setting) or 0) * (1 + error)


def bound_shm(setting: Setting, batch_bytes: int) -> Interval:
    """Bytes in /dev/shm: with empty queues, and with full ones."""
    if not setting.num_workers:
        return 0.0, 0.0
    least = min(setting.num_workers + 1, setting.queued_batches + 2)
    return float(least * batch_bytes), _SHM_OVERHEAD * setting.compute_shm_bytes(batch_bytes)


def predict_descriptors(setting: Setting, objects: int, early_batches: float) -> int:
    """Of the main process, batches that came before their turn included."""
    if not setting.num_workers:
        return 0
    return setting.count_descriptors(objects) + math.floor(early_batches * objects)


def bound_descriptors(setting: Setting, max_descriptors: int) -> Interval:
    """Where no batch is in hand, and where as many as can come early."""
    return float(setting.count_descriptors(0)), float(max_descriptors)


def _interpolate(values: Mapping[int, float], position: int) -> float:
    """Piecewise linear in the logarithm; constant beyond the ends."""
    points = sorted(values)
    if position <= points[0]:
        return values[points[0]]
    for low, high in pairwise(points):
        if low <= position <= high:
            share = math.log(position / low) / math.log(high / low) if low else 1.0
            return values[low] + share * (values[high] - values[low])
    return values[points[-1]]
