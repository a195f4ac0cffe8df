"""What is done again for each item, or by each worker for itself: counted."""

import os
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
data = pytest.importorskip("torch.utils.data")
FORK = get_context("fork")
WORKERS = 2
ITEMS = 8


class Folder(data.Dataset):  # type: ignore[misc,name-defined]
    """Looks for its files in each item, or once."""

    def __init__(self, top: Path, work: Callable[[Path], Any], *, once: bool) -> None:
        self.top, self.work = top, work
        self.found = work(top) if once else None

    def __len__(self) -> int:
        return ITEMS

    def __getitem__(self, index: int) -> int:
        found = self.work(self.top) if self.found is None else self.found
        return int(found[index])


class Works:
    """A piece of work that knows how often it was done."""

    def __init__(self, work: Callable[[Path], Any]) -> None:
        self.work, self.count = work, 0

    def __call__(self, top: Path) -> Any:
        self.count += 1
        return self.work(top)


def scanned(top: Path) -> list[int]:
    return sorted(int(path.name) for path in top.iterdir())


def asked_of_a_process(top: Path) -> list[int]:
    done = subprocess.run(["ls", top], check=True, capture_output=True, text=True)
    return sorted(map(int, done.stdout.split()))


def parsed(top: Path) -> list[int]:
    rows = np.loadtxt(top / "0")
    return [int(value) for value in rows]


@pytest.fixture
def top(tmp_path: Path) -> Path:
    for number in range(ITEMS):
        (tmp_path / str(number)).write_text("\n".join(map(str, range(ITEMS))))
    return tmp_path


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(scanned, id="dir-scan-per-item"),
        pytest.param(asked_of_a_process, id="subprocess-per-item"),
        pytest.param(parsed, id="text-parse-per-item"),
    ],
)
def test_once_would_do(work: Callable[[Path], Any], top: Path) -> None:
    each, once = Works(work), Works(work)
    for one in (each, once):
        folder = Folder(top, one, once=one is once)
        assert [folder[index] for index in range(ITEMS)] == list(range(ITEMS))

    assert (each.count, once.count) == (ITEMS, 1)


class Caches(data.Dataset):  # type: ignore[misc,name-defined]
    """Keeps each item that it made; says how many it had, and in which process."""

    def __init__(self) -> None:
        self.kept: dict[int, int] = {}

    def __len__(self) -> int:
        return ITEMS

    def __getitem__(self, index: int) -> Any:
        known = index in self.kept
        self.kept[index] = index
        return torch.tensor([os.getpid(), known, len(self.kept)])


def test_each_epoch_begins_the_caches_anew() -> None:
    many = {"num_workers": WORKERS, "multiprocessing_context": FORK}
    loader = data.DataLoader(Caches(), batch_size=None, **many)

    assert [int(row[1]) for _ in range(2) for row in loader] == [0] * 2 * ITEMS


def test_every_worker_fills_a_cache_of_its_own() -> None:
    many = {"num_workers": WORKERS, "multiprocessing_context": FORK}
    more = {"shuffle": True, "persistent_workers": True}
    loader = data.DataLoader(Caches(), batch_size=None, **many, **more)
    copies = {int(row[0]): int(row[2]) for _ in range(20) for row in loader}

    assert len(copies) == WORKERS
    assert sum(copies.values()) > ITEMS


def test_without_workers_it_is_one_cache() -> None:
    loader = data.DataLoader(Caches(), batch_size=None)

    assert [int(row[1]) for _ in range(2) for row in loader] == [0] * 8 + [1] * 8


PRINTS = """
import torch.utils.data as data

class Items(data.Dataset):
    def __init__(self, loud):
        self.loud = loud

    def __len__(self):
        return 64

    def __getitem__(self, index):
        if self.loud:
            print(f"item {index} of {len(self)}", flush=True)
        return index

for loud in (False, True):
    list(data.DataLoader(Items(loud), batch_size=8, num_workers=2))
    print("--", flush=True)
"""


@pytest.mark.extended
def test_each_item_prints_a_line_of_every_worker() -> None:
    """Both in one program: it imports torch for longer than it loads."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PRINTS], check=True, capture_output=True, text=True
    )

    quiet, loud, _ = done.stdout.split("--\n")
    assert (quiet.count("of 64"), loud.count("of 64")) == (0, 64)


def test_numpy_is_seeded_by_torch_now_and_was_not_before() -> None:
    class Draws(data.Dataset):  # type: ignore[misc,name-defined]
        def __len__(self) -> int:
            return WORKERS

        def __getitem__(self, index: int) -> int:
            return int(np.random.randint(1 << 30))  # noqa: NPY002  (what is judged)

    def drawn(**more: Any) -> set[int]:
        many = {"num_workers": WORKERS, "multiprocessing_context": FORK}
        return {int(n) for n in data.DataLoader(Draws(), batch_size=None, **many, **more)}

    def as_before(_: int) -> None:
        np.random.seed(7)  # noqa: NPY002  (each worker had a copy of one state)

    assert len(drawn(worker_init_fn=as_before)) == 1
    assert len(drawn()) == WORKERS
