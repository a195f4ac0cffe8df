"""Clocks from inside: exact, cheap, transparent, and gone when they are taken off."""

import time
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from torch.utils.data import DataLoader, Dataset, dataloader  # noqa: E402

import pipedoctor.live  # noqa: E402

pytestmark = pytest.mark.torch


class Slow(Dataset[Any]):
    def __init__(self, seconds: float, length: int = 8) -> None:
        self.seconds, self.length = seconds, length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Any:
        if index >= self.length:
            raise IndexError
        time.sleep(self.seconds)
        return torch.tensor(index)


def test_waits_are_those_of_a_plain_clock() -> None:
    loader = DataLoader(Slow(0.01), batch_size=2)
    own = 0.0
    with pipedoctor.live.clocks() as clocks:
        batches = iter(loader)
        for _ in range(4):
            before = time.perf_counter()
            next(batches)
            own += time.perf_counter() - before
            time.sleep(0.02)
    (found,) = clocks.figures()

    assert found.steps == 4
    assert found.wait_seconds == pytest.approx(own, rel=0.02)
    assert 0.02 <= found.wait_p50 <= found.wait_p95 <= found.wait_p99
    assert 0.3 < found.wait_share < 0.8


def test_epochs_and_the_gaps_between_them() -> None:
    loader = DataLoader(Slow(0.001), batch_size=4)
    with pipedoctor.live.clocks() as clocks:
        for _ in range(3):
            assert len(list(loader)) == 2
            time.sleep(0.05)
    (found,) = clocks.figures()

    assert (found.steps, found.epochs) == (6, 3)
    assert 0.05 <= found.gap_seconds < 0.2
    assert found.first_batch_seconds >= 0.004


def test_several_loaders_have_a_clock_each() -> None:
    train, test = DataLoader(Slow(0.0, 9)), DataLoader(Slow(0.0, 3))
    with pipedoctor.live.clocks() as clocks:
        for loader in (train, test):
            for _ in loader:
                pass

    assert [found.steps for found in clocks.figures()] == [9, 3]


def test_an_exception_comes_through() -> None:
    class Broken(Slow):
        def __getitem__(self, index: int) -> Any:
            raise ValueError(index)

    with pipedoctor.live.clocks(), pytest.raises(ValueError, match="0"):
        next(iter(DataLoader(Broken(0.0))))


def test_nothing_is_left_behind() -> None:
    kind: Any = dataloader._BaseDataLoaderIter  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    before: Any = kind.__next__
    assert pipedoctor.live.install() is pipedoctor.live.install()
    assert kind.__next__ is not before
    pipedoctor.live.remove()

    assert kind.__next__ is before


def test_costs_a_few_microseconds_a_step() -> None:
    class Endless:
        _dataset = None

        def __next__(self) -> int:
            return 1

    clocks = pipedoctor.live.LoaderClocks()
    plain, timed = Endless.__next__, clocks.wrap_next(Endless.__next__)
    one = Endless()

    def spent(call: Any) -> float:
        best = 1.0
        for _ in range(5):
            begin = time.thread_time()
            for _ in range(4000):
                call(one)
            best = min(best, (time.thread_time() - begin) / 4000)
        return best

    assert spent(timed) - spent(plain) < 5e-6


def test_a_job_that_makes_a_dataset_for_each_shard_keeps_few_clocks() -> None:
    """The clocks are in the memory of the job, for as long as it runs."""
    clocks, shards = pipedoctor.live.LoaderClocks(), [Slow(0.0) for _ in range(200)]
    for shard in shards:
        clocks.find_clock(iter(DataLoader(shard)), 0.0).steps += 1
    found = clocks.figures()

    assert len(found) == 64
    assert sum(one.steps for one in found) == 200
