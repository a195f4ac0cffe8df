"""The user's loader with other arguments, and what is in its batches."""

from itertools import islice
from typing import Any

import pytest
import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    IterableDataset,
    SequentialSampler,
    TensorDataset,
)

from pipedoctor.facts import Setting
from pipedoctor.tune.target import endless_loader
from pipedoctor.tune.target.batch import measure_contents

DATA = TensorDataset(torch.arange(10))


def setting(**values: Any) -> Setting:
    full: dict[str, Any] = {"num_workers": 0, "batch_size": 4, **values}
    return Setting(**full)


class Counting(IterableDataset[int]):
    shards = 3

    def __iter__(self) -> Any:
        return iter(range(5))


class Nothing(IterableDataset[int]):
    def __iter__(self) -> Any:
        return iter(())


def first(made: Any, count: int, **values: Any) -> list[Any]:
    loader = endless_loader.build_loader(made, setting(**values))
    return list(islice(iter(loader), count))


def test_a_bare_data_set_is_drawn_from_for_ever() -> None:
    batches = first(DATA, 20)
    assert {len(batch[0]) for batch in batches} == {4}
    again = first(DATA, 20)
    assert all(torch.equal(a[0], b[0]) for a, b in zip(batches, again, strict=True))


def test_an_epoch_is_an_epoch_where_it_is_asked_for() -> None:
    loader = endless_loader.build_loader(DATA, setting(), endless=False)
    assert sorted(int(i) for (batch,) in loader for i in batch) == list(range(10))


def test_the_samplers_order_is_kept_and_repeated() -> None:
    made = DataLoader(DATA, batch_size=5, shuffle=False)
    batches = first(made, 5, batch_size=5)
    assert [int(batch[0][0]) for batch in batches] == [0, 5, 0, 5, 0]
    assert [int(b[0][0]) for b in first(made, 3, batch_size=3)] == [0, 3, 6]


class Sorted:
    """Batches of three and of five samples, without a word about it."""

    def __iter__(self) -> Any:
        return iter([[0, 1, 2], [3, 4, 5, 6, 7]])


def test_a_batch_sampler_that_names_no_size_is_asked_for_batches() -> None:
    made = DataLoader(DATA, batch_sampler=Sorted())
    now = endless_loader.read_setting(made)
    assert now.batch_size == 4
    batches = islice(endless_loader.build_loader(made, setting(batch_size=4)), 3)
    assert [len(batch) for (batch,) in batches] == [3, 5, 3]


def test_a_batch_sampler_that_gives_nothing_has_no_size() -> None:
    class Empty(Sorted):
        def __iter__(self) -> Any:
            return iter(())

    class Raising(Sorted):
        def __iter__(self) -> Any:
            raise OSError

    for sampler in (Empty(), Raising()):
        made = DataLoader(DATA, batch_sampler=sampler)
        assert endless_loader.read_setting(made).batch_size is None


def test_a_batch_sampler_of_their_own_stays() -> None:
    class Pairs(BatchSampler):
        def __iter__(self) -> Any:
            return iter([[1, 2], [3, 4]])

    made = DataLoader(DATA, batch_sampler=Pairs(SequentialSampler(DATA), 2, False))
    batches = first(made, 3, batch_size=2)
    assert [batch[0].tolist() for batch in batches] == [[1, 2], [3, 4], [1, 2]]


def test_a_plain_batch_sampler_that_was_given_keeps_its_order() -> None:
    given = BatchSampler([5, 3, 1, 0], 2, drop_last=False)
    made = DataLoader(DATA, batch_sampler=given)
    assert endless_loader.has_own_batches(made)
    assert not endless_loader.has_own_batches(DataLoader(DATA, batch_size=2))
    batches = first(made, 3, batch_size=2)
    assert [batch[0].tolist() for batch in batches] == [[5, 3], [1, 0], [5, 3]]


def test_samples_that_come_without_batches() -> None:
    made = DataLoader(DATA, batch_size=None)
    assert endless_loader.read_setting(made).batch_size is None
    assert len(first(made, 12, batch_size=None)) == 12


def test_iterable_data_sets_begin_again() -> None:
    made = DataLoader(Counting(), batch_size=2)
    values = [batch.tolist() for batch in first(made, 4, batch_size=2)]
    assert values == [[0, 1], [2, 3], [4, 0], [1, 2]]
    assert endless_loader.EndlessDataset(Counting()).shards == 3
    assert not first(DataLoader(Nothing()), 1)
    assert not list(endless_loader.EndlessSampler([]))


def test_arguments_are_handed_on() -> None:
    loader = endless_loader.build_loader(
        DATA, setting(num_workers=2, prefetch_factor=3, in_order=False)
    )
    assert (loader.num_workers, loader.prefetch_factor) == (2, 3)
    assert loader.in_order is False
    assert loader.multiprocessing_context.get_start_method() == "fork"


def test_what_the_user_has_now() -> None:
    bare = endless_loader.read_setting(DATA)
    assert (bare.num_workers, bare.batch_size) == (0, 10)
    assert endless_loader.count_samples(DataLoader(DATA)) == 10
    assert endless_loader.count_samples(Counting()) is None
    made = DataLoader(DATA, batch_size=2, num_workers=1, persistent_workers=True)
    now = endless_loader.read_setting(made)
    assert (now.num_workers, now.prefetch_factor) == (1, 2)
    assert now.persistent_workers is True


CONTENTS = {
    "a tensor takes whole pages": (torch.zeros(10), (40, 4096, 1, 40)),
    "integers are no floats": (
        torch.zeros(2048, dtype=torch.int64),
        (16384, 16384, 1, 0),
    ),
    "views share their storage": (
        torch.zeros(2, 512).unbind(),
        (4096, 4096, 1, 4096),
    ),
    "nested": (
        {"a": [torch.zeros(1), torch.zeros(1)], "b": (torch.zeros(1),)},
        (12, 3 * 4096, 3, 12),
    ),
    "other things are pickled": ([b"12345", 7], (13, 0, 0, 0)),
}


@pytest.mark.parametrize(("batch", "expected"), CONTENTS.values(), ids=CONTENTS)
def test_contents(batch: Any, expected: tuple[int, ...]) -> None:
    found = measure_contents(batch)
    names = ("bytes", "shared_bytes", "objects", "float_bytes")
    assert tuple(getattr(found, name) for name in names) == expected


def left_out(data: Any, size: int) -> DataLoader[Any]:
    return DataLoader(data, batch_size=size, drop_last=True)


def test_an_epoch_without_a_whole_batch_gives_none() -> None:
    whole = left_out(DATA, 4)
    assert [int(b[0][0]) for b in first(whole, 3)] == [0, 4, 8]
    assert len(first(left_out(Counting(), 5), 2, batch_size=5)) == 2
    for data, size in ((DATA, 11), (Counting(), 6)):
        assert first(left_out(data, size), 1, batch_size=size) == []
        assert len(first(DataLoader(data, batch_size=size), 1, batch_size=size)) == 1


def test_a_batch_sampler_without_a_whole_batch_gives_none() -> None:
    for size, batches in ((2, [[7, 3], [7, 3]]), (4, [])):
        sampler = BatchSampler([7, 3, 9], size, drop_last=True)
        made = DataLoader(DATA, batch_sampler=sampler)
        found = first(made, 2, batch_size=size)
        assert [batch.tolist() for (batch,) in found] == batches


class Unsure(Counting):
    """Says that it is longer than it is."""

    def __len__(self) -> int:
        return 100


NOTHING: dict[str, tuple[Any, dict[str, Any], str]] = {
    "fewer": (left_out(DATA, 11), {}, "10 samples are fewer than batch_size=11"),
    "one": (left_out(TensorDataset(torch.ones(1)), 2), {}, "1 sample is fewer than"),
    "empty": (DataLoader(TensorDataset(torch.ones(0))), {}, "dataset or its sampler"),
    "bare": (TensorDataset(torch.ones(0)), {}, "the dataset or its sampler is empty"),
    "a stream": (DataLoader(Nothing()), {}, "its dataset yields nothing"),
    "a bare stream": (Nothing(), {}, "its dataset yields nothing"),
    "a short stream": (
        left_out(Unsure(), 8),
        {},
        "its dataset yields fewer samples than batch_size=8, and drop_last=True drops",
    ),
    "each is short": (
        left_out(Counting(), 4),
        {"num_workers": 2},
        "fewer samples than batch_size=4 in each worker, and",
    ),
    "own batches": (
        DataLoader(DATA, batch_sampler=[]),
        {},
        "its batch_sampler yields nothing",
    ),
}


@pytest.mark.parametrize(("made", "values", "why"), NOTHING.values(), ids=NOTHING)
def test_why_there_is_no_batch(made: Any, values: dict[str, Any], why: str) -> None:
    size = getattr(made, "batch_size", 4)
    assert why in endless_loader.explain_no_batch(made, setting(batch_size=size, **values))
