"""What an epoch pays for its workers: until they deliver, and until they have ended."""

from collections.abc import Mapping

from pipedoctor.facts import Pipeline

_MEASURED_ERROR, _GUESSED_ERROR = 0.5, 1.0
"""How far the first batch may be off: of workers that were seen to start, and else."""


def estimate_first_batch(pipeline: Pipeline, workers: int) -> float:
    """
    Seconds from the beginning of an epoch to its first batch.

    Trials fork their workers. Where the job starts them otherwise, each imports what
    it needs again: on processors of its own as fast as one, else in turn.
    """
    seconds_by_workers = {t.setting.num_workers: t.first_batch_seconds for t in pipeline.trials}
    return _adjust_start_method(pipeline, workers, seconds_by_workers, pipeline.startup_seconds)


def bound_first_batch(pipeline: Pipeline, workers: int) -> tuple[float, float, float]:
    """The same, between the least and the most that is to be expected."""
    middle = estimate_first_batch(pipeline, workers)
    is_measured = any(t.setting.num_workers == workers for t in pipeline.trials)
    off = _MEASURED_ERROR if is_measured and pipeline.startup_seconds is None else _GUESSED_ERROR
    return middle / (1 + off), middle, middle * (1 + off)


def estimate_ending(pipeline: Pipeline, workers: int) -> float:
    """Seconds from the last batch of an epoch until its workers have ended."""
    seconds_by_workers = {
        t.setting.num_workers: t.ending_seconds
        for t in pipeline.trials
        if t.ending_seconds is not None
    }
    return _adjust_start_method(pipeline, workers, seconds_by_workers, pipeline.ending_seconds)


def estimate_start_delays(pipeline: Pipeline, workers: int, batch_seconds: float) -> list[float]:
    """
    Seconds by which each worker is ready later than the first one.

    They are forked one after the other and prepare themselves at the same time; none
    gets an index before all are there. `made` is what the first batch takes then.
    """
    has_measured_workers = any(t.setting.num_workers for t in pipeline.trials)
    if pipeline.startup_seconds is not None or not workers or not has_measured_workers:
        return [0.0] * workers
    begun = {t.setting.num_workers: t.started_seconds for t in pipeline.trials}
    started = _interpolate(begun, workers)
    each = started / workers
    numbers = (number for number in begun if number)  # of few, the start hides less
    prepared = min(
        estimate_first_batch(pipeline, number) - batch_seconds - begun[number] / number
        for number in numbers
    )
    ready = [max(started, each * (k + 1) + max(0.0, prepared)) for k in range(workers)]
    return [moment - ready[0] for moment in ready]


def _adjust_start_method(
    pipeline: Pipeline,
    workers: int,
    fork_seconds: Mapping[int, float],
    probed_seconds: float | None,
) -> float:
    """With the start method of the job, of which one number of workers was probed."""
    usual = _interpolate(fork_seconds, workers)
    if not workers or probed_seconds is None:
        return usual
    number = pipeline.startup_workers or workers
    more = max(0.0, probed_seconds - _interpolate(fork_seconds, number))
    return usual + more * _compute_cpu_sharing(pipeline, workers) / _compute_cpu_sharing(
        pipeline, number
    )


def _compute_cpu_sharing(pipeline: Pipeline, workers: int) -> float:
    """How often processors have to be shared."""
    return max(1.0, workers / max(pipeline.cpus, 0.1))


def _interpolate(values: Mapping[int, float], workers: int) -> float:
    """What was measured, or a line through the fewest and the most workers."""
    if not workers or workers in values:
        return values.get(workers, 0.0)
    numbers = sorted(number for number in values if number)
    if not numbers:
        return 0.0
    low, high = numbers[0], numbers[-1]
    if low == high:
        return values[low]
    slope = max(0.0, (values[high] - values[low]) / (high - low))
    return max(0.0, values[low] + slope * (workers - low))
