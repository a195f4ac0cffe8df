"""What a setting holds: memory of workers, /dev/shm, descriptors; and between what."""

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from pipedoctor.facts import Pipeline, Setting, Trial

Interval = tuple[float, float]
"""The least and the most that is to be expected."""
_NOISE = 3 << 19
"""
Bytes by which a worker may grow within a window, only since it gets going.

A quarter of it was seen of workers that do not grow any more.
"""
_KNOWN, _GUESSED = 0.15, 0.3
"""How far memory may be from what was measured, and from what was not."""
_MORE = 1.1
"""Shared memory beside that of the tensors, as a factor."""


def memory(seen: Pipeline, setting: Setting) -> int:
    """Private memory of all workers, as trials of some seconds saw it, in bytes."""
    each = {
        trial.setting.num_workers: trial.memory_bytes / trial.setting.num_workers
        for trial in seen.trials
        if trial.setting.num_workers and trial.memory_bytes
    }
    return _of_all(seen, setting, each)


def grown(seen: Pipeline, setting: Setting) -> int | None:
    """
    The same at the end of an epoch, by how the workers grew; None: nobody knows.

    What is not freed grows with the samples. Pages of the parent are copied once:
    samples that lie on one page find it copied already.
    """
    workers, samples = setting.num_workers, seen.samples
    known = [found for t in seen.trials if (found := _rates(t)) is not None]
    if not workers or not samples or not known:
        return None
    rates = max(known, key=lambda rates: rates.made)  # warming up counts least
    each = {
        trial.setting.num_workers: trial.memory_bytes / trial.setting.num_workers
        - rates.grown(trial.growth.made * (trial.setting.batch_size or 1), samples)
        for trial in seen.trials
        if trial.setting.num_workers and trial.memory_bytes and trial.growth
    }
    more = rates.grown(samples / workers, samples)
    return max(
        memory(seen, setting), _of_all(seen, setting, each) + int(workers * more)
    )


def _of_all(seen: Pipeline, setting: Setting, each: Mapping[int, float]) -> int:
    """
    Bytes of all workers, by those of one where there are so many.

    Of one worker they are more than its share of many: pages that the main process
    has changed since the fork are private to one, shared by several.
    """
    if not each or not setting.num_workers:
        return 0
    more = (
        seen.scale(setting) - 1
    ) * seen.contents.bytes  # samples that wait to be collated
    alone = max(0.0, _between(each, setting.num_workers) + more)
    return int(setting.num_workers * alone)


class _Rates(NamedTuple):
    """Bytes of a worker for each of its samples; samples that it had made by then."""

    new: float
    copied: float
    shared: float
    made: float

    def grown(self, number: float, samples: int) -> float:
        """Bytes by which it has grown after so many of all samples."""
        return self.new * number + self.copies(number, samples)

    def copies(self, number: float, samples: int) -> float:
        """
        Bytes that it has copied after so many samples, drawn from all at random.

        By then it could have copied what is shared and what was copied already; as
        long as no two samples lie on one page, each copies what the first ones did.
        """
        pages = self.shared + self.copied * self.made
        if pages <= 0:
            return 0.0
        each = max(1.0, self.copied * samples / pages)  # samples of a page
        part = min(1.0, number / samples)
        found: float = pages * (1 - (1 - part) ** each)
        return found if each > 1 else self.copied * number


def _rates(trial: Trial) -> _Rates | None:
    """How a worker grew; what is within the noise is nothing."""
    seen, size = trial.growth, trial.setting.batch_size or 1
    if seen is None:
        return None
    new, copied = (
        rate / size if rate * seen.made > _NOISE else 0.0
        for rate in (seen.new, seen.copied)
    )
    return _Rates(new, copied, float(seen.shared), seen.made * size)


def memory_between(seen: Pipeline, setting: Setting) -> Interval:
    """Between what memory of the workers is to be expected, an epoch long."""
    now = memory(seen, setting)
    known = any(t.setting.num_workers == setting.num_workers for t in seen.trials)
    error = _KNOWN if known else _GUESSED
    return now * (1 - error), max(now, grown(seen, setting) or 0) * (1 + error)


def shared_between(setting: Setting, batch: int) -> Interval:
    """Bytes in /dev/shm: with empty queues, and with full ones."""
    if not setting.num_workers:
        return 0.0, 0.0
    least = min(setting.num_workers + 1, setting.queued + 2)
    return float(least * batch), _MORE * setting.shm_bytes(batch)


def descriptors(setting: Setting, objects: int, early: float) -> int:
    """Of the main process, batches that came before their turn included."""
    if not setting.num_workers:
        return 0
    return setting.descriptors(objects) + math.floor(early * objects)


def descriptors_between(setting: Setting, most: int) -> Interval:
    """Where no batch is in hand, and where as many as can come early."""
    return float(setting.descriptors(0)), float(most)


def _between(known: Mapping[int, float], at: int) -> float:
    """Piecewise linear in the logarithm; constant beyond the ends."""
    points = sorted(known)
    if at <= points[0]:
        return known[points[0]]
    for low, high in pairwise(points):
        if low <= at <= high:
            share = math.log(at / low) / math.log(high / low) if low else 1.0
            return known[low] + share * (known[high] - known[low])
    return known[points[-1]]
