"""What an epoch pays for its workers: until they deliver, and until they have ended."""

from collections.abc import Mapping

from pipedoctor.facts import Pipeline


def first_batch(seen: Pipeline, workers: int) -> float:
    """
    Seconds from the beginning of an epoch to its first batch.

    Trials fork their workers. Where the job starts them otherwise, each imports what
    it needs again: on processors of its own as fast as one, else in turn.
    """
    known = {t.setting.num_workers: t.first_batch_seconds for t in seen.trials}
    forked = _at(known, workers)
    if not workers or seen.startup_seconds is None:
        return forked
    probed = seen.startup_workers or workers
    more = max(0.0, seen.startup_seconds - _at(known, probed))
    return forked + more * _turns(seen, workers) / _turns(seen, probed)


def ending(seen: Pipeline, workers: int) -> float:
    """Seconds from the last batch of an epoch until its workers have ended."""
    known = {
        t.setting.num_workers: t.ending_seconds
        for t in seen.trials
        if t.ending_seconds is not None
    }
    return _at(known, workers) if workers else 0.0


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
