"""Seconds of a worker's batches, from the numbers that looks show."""

import pytest

from pipedoctor.watch.samples.batch_times import BatchTimes


def look_every(times: BatchTimes, gap: float, each: float, workers: int, seconds: float) -> int:
    """Look at a worker whose batches take `each`; how many it was seen to begin."""
    return sum(
        times.observe_batch(gap * n, 1 + int(gap * n / each) * workers, workers)
        for n in range(int(seconds / gap))
    )


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("each", [0.02, 0.3])
def test_batches_of_one_length(each: float, workers: int) -> None:
    times = BatchTimes()

    begun = look_every(times, 0.1, each, workers, 30)

    seconds = times.list_seconds(1.0)
    assert begun == len(seconds) == pytest.approx(30 / each, rel=0.03)
    assert sum(seconds) / len(seconds) == pytest.approx(each, rel=0.03)
    assert sum(times.list_seconds(0.5)) == pytest.approx(sum(seconds) / 2)


def test_a_long_batch_among_short_ones_stays_alone() -> None:
    times = BatchTimes()
    look_every(times, 0.05, 0.1, 2, 2)
    times.observe_batch(2.0, 41, 2)
    times.observe_batch(3.5, 41, 2)
    times.observe_batch(5.0, 43, 2)

    assert max(times.list_seconds(1.0)) == pytest.approx(3.0)


def test_a_new_epoch_and_a_gap_begin_again() -> None:
    times = BatchTimes()
    times.observe_batch(0.0, 90, 2)
    assert times.observe_batch(0.1, 1, 2) == 0
    assert times.observe_batch(60.0, 7, 2) == 0
    assert times.observe_batch(60.1, 7, 2) == 0
    assert times.list_seconds(1.0) == []
    assert times.observe_batch(60.2, 9, 2) == 1
