"""What slow habits cost on the installed torch, counted and not timed."""

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from pickle import PicklingError
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
data = pytest.importorskip("torch.utils.data")
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
FORK = get_context("fork")
WORKERS = 2
EPOCHS = 3


class Pids(data.Dataset):  # type: ignore[misc,name-defined]
    """Items that say who made them."""

    def __init__(self) -> None:
        self.lengths = 0
        self.items = 0

    def __len__(self) -> int:
        self.lengths += 1
        return 8

    def __getitem__(self, index: int) -> int:
        self.items += 1
        return os.getpid()


def loader(**more: Any) -> Any:
    given = {"num_workers": WORKERS, "multiprocessing_context": FORK} | more
    if not given["num_workers"]:
        del given["multiprocessing_context"]
    return data.DataLoader(Pids(), batch_size=2, **given)


def whole(batches: Any) -> Iterator[int]:
    for batch in batches:
        yield from batch.tolist()


def per_epoch() -> set[int]:
    plain = loader()
    return {pid for _ in range(EPOCHS) for pid in whole(plain)}


def built_per_epoch() -> set[int]:
    return {pid for _ in range(EPOCHS) for pid in whole(loader(persistent_workers=True))}


def first_of_a_new_iterator() -> set[int]:
    plain = loader()
    return {pid for _ in range(EPOCHS) for pid in next(iter(plain)).tolist()}


def kept() -> set[int]:
    persistent = loader(persistent_workers=True)
    return {pid for _ in range(EPOCHS) for pid in whole(persistent)}


@pytest.mark.parametrize(
    ("habit", "processes"),
    [
        pytest.param(per_epoch, WORKERS * EPOCHS, id="persistent-workers-missing"),
        pytest.param(built_per_epoch, WORKERS * EPOCHS, id="loader-in-epoch-loop"),
        pytest.param(first_of_a_new_iterator, EPOCHS, id="wasted-iterator"),
        pytest.param(kept, WORKERS, id="persistent workers"),
    ],
)
def test_processes_that_are_started(habit: Callable[[], set[int]], processes: int) -> None:
    assert len(habit()) == processes


def test_more_workers_than_cpus_are_warned_of() -> None:
    cpus = len(os.sched_getaffinity(0))
    with pytest.warns(UserWarning, match="suggested max number of worker"):
        loader(num_workers=cpus + 1)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loader(num_workers=cpus)


def test_the_length_is_asked_for_again_and_again() -> None:
    asked = loader(num_workers=0, shuffle=True)
    list(asked)
    per_epoch = asked.dataset.lengths
    len(asked)

    assert per_epoch > 1
    assert asked.dataset.lengths > per_epoch


def test_data_in_memory_is_taken_apart_and_put_together_again() -> None:
    """A loader asks for each item; slicing gives the same batches."""
    one_by_one = loader(num_workers=0)
    list(one_by_one)
    assert one_by_one.dataset.items == 8

    rows = torch.arange(8)
    asked = data.DataLoader(data.TensorDataset(rows), batch_size=2)
    assert [x.tolist() for (x,) in asked] == [x.tolist() for x in rows.split(2)]


def test_floats_are_four_times_the_bytes_of_pixels() -> None:
    class Images(Pids):
        def __init__(self, dtype: Any) -> None:
            super().__init__()
            self.dtype = dtype

        def __getitem__(self, index: int) -> Any:
            return torch.zeros(3, 8, 8, dtype=self.dtype)

    def size(dtype: Any) -> int:
        batch = next(iter(data.DataLoader(Images(dtype), batch_size=4)))
        return int(batch.nbytes)

    assert size(torch.float32) == 4 * size(torch.uint8)


def written_by_reading(rows: Any) -> int:
    """Bytes of memory that a forked child makes its own by reading every row."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        before = private()
        for row in rows:
            str(row)
        os.write(writer, str(private() - before).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        answer = int(file.read())
    os.waitpid(child, 0)
    return answer


def private() -> int:
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines():
        if line.startswith("Private_Dirty:"):
            return int(line.split()[1]) << 10
    message = "this kernel does not count private memory"
    raise AssertionError(message)


@linux
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_reading_python_objects_copies_their_pages() -> None:
    """Reference counts stand beside the objects; an array has one for all rows."""
    count = 100_000
    objects = [f"/data/images/{n:09}.jpg" for n in range(count)]
    array = np.array(objects, dtype="S")

    lists, arrays = written_by_reading(objects), written_by_reading(array)

    assert lists > count * 50
    assert arrays < lists / 4


def test_what_is_deprecated_warns() -> None:
    with pytest.warns(FutureWarning, match=r"torch\.amp\.autocast"):
        torch.cuda.amp.autocast(enabled=False)

    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        torch.amp.autocast("cuda", enabled=False)


def test_what_is_gone() -> None:
    from importlib.util import find_spec  # noqa: PLC0415

    assert find_spec("torch.utils.bottleneck") is None
    iterator = iter(loader(num_workers=0))
    with pytest.raises(AttributeError, match="next"):
        iterator.next()
    next(iterator)


def test_an_iterator_ends() -> None:
    iterator = iter(loader(num_workers=0))
    for _ in range(4):
        next(iterator)

    with pytest.raises(StopIteration):
        next(iterator)


@pytest.mark.filterwarnings("ignore:Got pickle error:UserWarning")
def test_a_local_function_cannot_be_sent_to_a_new_process() -> None:
    def collate(rows: list[int]) -> Any:
        return torch.tensor(rows)

    hostile = loader(multiprocessing_context=get_context("spawn"), collate_fn=collate)
    with pytest.raises((AttributeError, PicklingError), match=r"[Pp]ickle"):
        iter(hostile)

    assert len(list(whole(loader(collate_fn=collate)))) == 8
