"""What an epoch pays for its workers: until they deliver, and until they have ended."""

from collections.abc import Mapping

from pipedoctor.facts import Pipeline

_KNOWN, _GUESSED = 0.5, 1.0
"""How far the first batch may be off: of workers that were seen to start, and else."""


def first_batch(seen: Pipeline, workers: int) -> float:
    """
    Seconds from the beginning of an epoch to its first batch.

    Trials fork their workers. Where the job starts them otherwise, each imports what
    it needs again: on processors of its own as fast as one, else in turn.
    """
    known = {t.setting.num_workers: t.first_batch_seconds for t in seen.trials}
    return _as_started(seen, workers, known, seen.startup_seconds)


def first_batches(seen: Pipeline, workers: int) -> tuple[float, float, float]:
    """The same, between the least and the most that is to be expected."""
    middle = first_batch(seen, workers)
    known = any(t.setting.num_workers == workers for t in seen.trials)
    off = _KNOWN if known and seen.startup_seconds is None else _GUESSED
    return middle / (1 + off), middle, middle * (1 + off)


def ending(seen: Pipeline, workers: int) -> float:
    """Seconds from the last batch of an epoch until its workers have ended."""
    known = {
        t.setting.num_workers: t.ending_seconds
        for t in seen.trials
        if t.ending_seconds is not None
    }
    return _as_started(seen, workers, known, seen.ending_seconds)


def late(seen: Pipeline, workers: int, made: float) -> list[float]:
    """
    Seconds by which each worker is ready later than the first one.

    They are forked one after the other and prepare themselves at the same time; none
    gets an index before all are there. `made` is what the first batch takes then.
    """
    known = any(t.setting.num_workers for t in seen.trials)
    if seen.startup_seconds is not None or not workers or not known:
        return [0.0] * workers
    begun = {t.setting.num_workers: t.started_seconds for t in seen.trials}
    started = _at(begun, workers)
    each = started / workers
    numbers = (number for number in begun if number)  # of few, the start hides less
    prepared = min(
        first_batch(seen, number) - made - begun[number] / number for number in numbers
    )
    ready = [max(started, each * (k + 1) + max(0.0, prepared)) for k in range(workers)]
    return [moment - ready[0] for moment in ready]


def _as_started(
    seen: Pipeline, workers: int, forked: Mapping[int, float], probed: float | None
) -> float:
    """With the start method of the job, of which one number of workers was probed."""
    usual = _at(forked, workers)
    if not workers or probed is None:
        return usual
    number = seen.startup_workers or workers
    more = max(0.0, probed - _at(forked, number))
    return usual + more * _turns(seen, workers) / _turns(seen, number)


def _turns(seen: Pipeline, workers: int) -> float:
    """How often processors have to be shared."""
    return max(1.0, workers / max(seen.cpus, 0.1))


def _at(known: Mapping[int, float], workers: int) -> float:
    """What was measured, or a line through the fewest and the most workers."""
    if not workers or workers in known:
        return known.get(workers, 0.0)
    numbers = sorted(number for number in known if number)
    if not numbers:
        return 0.0
    low, high = numbers[0], numbers[-1]
    if low == high:
        return known[low]
    slope = max(0.0, (known[high] - known[low]) / (high - low))
    return max(0.0, known[low] + slope * (workers - low))
