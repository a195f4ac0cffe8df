"""Batches of a main process, by the numbers that its workers make."""

from pipedoctor.watch.job.batch_progress import BatchProgress

MAIN = 5


def observe(*rows: tuple[float, int]) -> BatchProgress:
    progress = BatchProgress()
    for now, batch in rows:
        progress.observe_batch(MAIN, batch, 2, now)
    return progress


def test_the_highest_number_counts() -> None:
    progress = observe((0.0, 10), (1.0, 12), (2.0, 11), (4.0, 14))

    assert progress.batches == {MAIN: 4.0}
    assert progress.compute_batch_seconds(MAIN) == 1.0


def test_a_new_epoch_begins_again() -> None:
    progress = observe((0.0, 100), (1.0, 104), (2.0, 1), (3.0, 5))

    assert progress.batches == {MAIN: 8.0}


def test_a_number_that_was_overwritten_is_left_out() -> None:
    assert observe((0.0, 10), (0.001, 10**6), (1.0, 12)).batches == {MAIN: 2.0}


def test_nothing_is_known_of_one_batch() -> None:
    assert observe((0.0, 10)).compute_batch_seconds(MAIN) is None
    assert BatchProgress().compute_batch_seconds(MAIN) is None
