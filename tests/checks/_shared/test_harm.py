"""The harm is real on the installed torch, and the remedy removes it."""

import os
import random
import tempfile
import time
from collections.abc import Iterator
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
data = pytest.importorskip("torch.utils.data")
pytestmark = pytest.mark.filterwarnings("ignore:This DataLoader will create")
FORK = get_context("fork")
WORKERS = 4
ITEMS = 16


class Rows(data.Dataset):  # type: ignore[misc,name-defined]
    """Sixteen items; what is special comes in the classes below."""

    def __len__(self) -> int:
        return ITEMS

    def __getitem__(self, index: int) -> Any:
        return index


def loaded(dataset: Any, **more: Any) -> list[Any]:
    loader = data.DataLoader(
        dataset, batch_size=None, num_workers=WORKERS, multiprocessing_context=FORK, **more
    )
    return [item.tolist() if hasattr(item, "tolist") else item for item in loader]


class Keeps(Rows):
    """A handle or a generator that is made before the workers start."""

    def __init__(self, path: str = "", *, lazy: bool = False) -> None:
        self.path, self.lazy = path, lazy
        self.pid = -1
        self.rng = np.random.default_rng(0)
        self.file = os.open(path, os.O_RDONLY) if path else -1

    def renew(self) -> None:
        if self.lazy and self.pid != os.getpid():
            self.pid = os.getpid()
            self.rng = np.random.default_rng(torch.initial_seed())
            if self.path:
                self.file = os.open(self.path, os.O_RDONLY)


class Draws(Keeps):
    """A random number for each item."""

    def __getitem__(self, index: int) -> float:
        self.renew()
        return float(self.rng.random())


class Reads(Keeps):
    """The number that stands at the place of the item."""

    def __len__(self) -> int:
        return 400

    def __getitem__(self, index: int) -> int:
        self.renew()
        os.lseek(self.file, index * 8, os.SEEK_SET)
        time.sleep(0.001)  # whatever else an item does: another worker's turn
        return int.from_bytes(os.read(self.file, 8), "little")


class Stream(data.IterableDataset):  # type: ignore[misc,name-defined]
    """Numbers, all of them or a share of its own in each worker."""

    def __init__(self, *, sharded: bool) -> None:
        self.sharded = sharded

    def __iter__(self) -> Iterator[int]:
        info = data.get_worker_info()
        first, step = (info.id, info.num_workers) if self.sharded else (0, 1)
        yield from range(first, ITEMS, step)


def test_one_generator_in_all_workers_draws_the_same() -> None:
    assert len(set(loaded(Draws()))) == ITEMS // WORKERS
    assert len(set(loaded(Draws(lazy=True)))) == ITEMS


def test_one_handle_in_all_workers_reads_wrong_items() -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"".join(n.to_bytes(8, "little") for n in range(400)))
        file.flush()
        wrong = [n != x for n, x in enumerate(loaded(Reads(file.name)))]
        right = loaded(Reads(file.name, lazy=True))

    assert any(wrong)
    assert right == list(range(400))


def test_every_worker_yields_everything() -> None:
    assert len(loaded(Stream(sharded=False))) == ITEMS * WORKERS
    assert sorted(loaded(Stream(sharded=True))) == list(range(ITEMS))


class Epochs(Rows):
    """Items that say which epoch they believe in."""

    def __init__(self, *, shared: bool) -> None:
        self.epoch: Any = torch.zeros(1).share_memory_() if shared else 0.0

    def __getitem__(self, index: int) -> float:
        return float(self.epoch)


@pytest.mark.parametrize(("shared", "seen"), [(False, [0, 0, 0]), (True, [0, 1, 2])])
def test_persistent_workers_never_hear_of_an_epoch(shared: bool, seen: list[int]) -> None:
    dataset = Epochs(shared=shared)
    loader = data.DataLoader(
        dataset,
        batch_size=None,
        num_workers=1,
        persistent_workers=True,
        multiprocessing_context=FORK,
    )
    epochs: list[float] = []
    for epoch in range(3):
        if shared:
            dataset.epoch.fill_(epoch)
        else:
            dataset.epoch = epoch
        epochs.append(next(float(item) for item in list(loader)))

    assert epochs == seen


class Random(Rows):
    """Items from the global generator."""

    def __getitem__(self, index: int) -> float:
        return random.random()


def by_worker(worker: int) -> None:
    random.seed(worker)


def by_torch(_: int) -> None:
    random.seed(torch.initial_seed())


def test_a_seed_of_the_worker_makes_all_epochs_alike() -> None:
    epochs = [loaded(Random(), worker_init_fn=by_worker) for _ in range(2)]
    assert epochs[0] == epochs[1]

    epochs = [loaded(Random(), worker_init_fn=by_torch) for _ in range(2)]
    assert epochs[0] != epochs[1]


class Counts(Rows):
    """How many items it has made."""

    def __init__(self) -> None:
        self.count = 0

    def __getitem__(self, index: int) -> int:
        self.count += 1
        return index


def test_what_workers_count_is_lost() -> None:
    alone, shared = Counts(), Counts()
    list(data.DataLoader(alone, batch_size=None))
    loaded(shared)

    assert (alone.count, shared.count) == (ITEMS, 0)


def test_without_set_epoch_every_epoch_has_one_order() -> None:
    sampler = data.DistributedSampler(Rows(), num_replicas=1, rank=0)
    first, second = list(sampler), list(sampler)
    sampler.set_epoch(1)

    assert first == second != list(sampler)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ({"persistent_workers": True}, {"persistent_workers": False}),
        ({"prefetch_factor": 2}, {"prefetch_factor": None}),
        ({"shuffle": True, "sampler": range(9)}, {"sampler": range(9)}),
    ],
)
def test_what_the_constructor_refuses(wrong: dict[str, Any], right: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        data.DataLoader(Rows(), **wrong)

    data.DataLoader(Rows(), **right)


def test_a_stream_takes_no_order() -> None:
    stream = Stream(sharded=True)
    with pytest.raises(ValueError, match="shuffle"):
        data.DataLoader(stream, shuffle=True)

    data.DataLoader(stream, shuffle=False)


def test_the_last_samples_are_never_scored() -> None:
    def scored(**more: bool) -> int:
        return sum(len(x) for x in data.DataLoader(Rows(), batch_size=5, **more))

    assert (scored(drop_last=True), scored(drop_last=False)) == (15, ITEMS)


def test_a_last_batch_of_one_is_refused_by_batch_norm() -> None:
    norm = torch.nn.BatchNorm1d(3)
    with pytest.raises(ValueError, match="more than 1 value per channel"):
        norm(torch.zeros(1, 3))

    norm(torch.zeros(2, 3))
