"""
Training loops written in other ways, to be watched: ``python styles.py NAME SECONDS``.

Threads that prefetch, samplers, thread pools, several loaders, programs, mapped files. As
loop.py says, so does this: its PID when it is warm, and then what its own clock saw.
"""

# What torch gives has no types.
# pyright: reportUnknownMemberType=false

import argparse
import asyncio
import json
import mmap
import os
import queue
import random
import signal
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from loop import sleep
from loop_items import FOLDER, PACKED, Items, large_file
from torch.utils.data import DataLoader, IterableDataset, Sampler

ONES = torch.ones(4)
WEIGHTS = [random.random() for _ in range(30_000)]
POOL: list[ThreadPoolExecutor] = []


def slow_key(_: int) -> Any:
    time.sleep(0.008)  # hot: prefetcher-class two-loaders idle-validation late-validation
    return ONES


def unpack(_: int) -> Any:
    zlib.decompress(PACKED)  # hot: prefetch-generator
    return ONES


def quick(_: int) -> Any:
    return ONES


def download(key: int) -> int:
    time.sleep(0.015)
    return key


def inflate(key: int) -> int:
    return len(zlib.decompress(PACKED)) + key


def pool() -> ThreadPoolExecutor:
    if not POOL:
        POOL.append(ThreadPoolExecutor(4))
    return POOL[0]


def many_downloads(index: int) -> Any:
    found = list(pool().map(download, range(index, index + 8)))  # hot: pool-downloads
    return torch.tensor(found)


def many_inflates(index: int) -> Any:
    found = list(pool().map(inflate, range(index, index + 2)))  # hot: pool-inflates
    return torch.tensor(found)


async def ask(key: int) -> int:
    await asyncio.sleep(0.01)
    return key


class AsyncItems(Items):
    """All items of a batch at once, one round trip after the other."""

    def __getitems__(self, indices: list[int]) -> list[Any]:
        return [torch.tensor(asyncio.run(ask(index))) for index in indices]  # hot: async-batches


def other_program(_: int) -> Any:
    source = "import zlib; [zlib.compress(bytes(10**6)) for _ in range(9)]"
    subprocess.run([sys.executable, "-S", "-c", source], check=True)  # hot: programs
    return ONES


class MappedPages(Items):
    """Pages of a mapped file, which nobody else has mapped and which are in no cache."""

    file = -1

    def __getitem__(self, index: int) -> Any:
        if self.file < 0:
            self.file = os.open(large_file(), os.O_RDONLY)
            os.posix_fadvise(self.file, 0, 0, os.POSIX_FADV_DONTNEED)  # large folios as well
        begin = index * 7919 % 150 * 409_600
        os.posix_fadvise(self.file, begin, 409_600, os.POSIX_FADV_DONTNEED)
        with mmap.mmap(self.file, 409_600, prot=mmap.PROT_READ, offset=begin) as pages:
            pages.madvise(mmap.MADV_RANDOM)
            return torch.tensor(sum(pages[::4096]))  # hot: mapped-pages


class Weighted(Sampler[list[int]]):
    """Weighs all items again for each of a batch."""

    def __iter__(self) -> Iterator[list[int]]:
        while True:
            yield [self.choose() for _ in range(8)]

    def choose(self) -> int:
        return random.choices(range(30_000), weights=WEIGHTS)[0]  # hot: sampler


class Shards(IterableDataset[Any]):
    """Now and then a shard must be opened."""

    def __iter__(self) -> Iterator[Any]:
        while True:
            time.sleep(0.35)  # hot: shard-openings
            for _ in range(256):
                yield ONES


class Prefetcher:
    """A thread takes batches from the loader, and the training from its queue."""

    def __init__(self, made: Any) -> None:
        self.ready: queue.Queue[Any] = queue.Queue(4)
        threading.Thread(target=self.fill, args=(made,), daemon=True).start()

    def fill(self, made: Any) -> None:
        for batch in made:
            self.ready.put(batch)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return self.ready.get()


def prefetched(made: Any) -> Iterator[Any]:
    """The same as a function."""
    ready: queue.Queue[Any] = queue.Queue(3)

    def fill() -> None:
        for batch in made:
            ready.put(batch)

    threading.Thread(target=fill, daemon=True).start()
    while True:
        yield ready.get()


class Simulator:
    """A thread that answers late, which has nothing to do with data."""

    def __init__(self) -> None:
        self.asked: queue.Queue[int] = queue.Queue()
        self.answers: queue.Queue[int] = queue.Queue()
        threading.Thread(target=self.answer, daemon=True).start()

    def answer(self) -> None:
        while True:
            self.asked.get()
            time.sleep(0.03)
            self.answers.put(1)

    def __next__(self) -> int:
        self.asked.put(1)
        return self.answers.get()


def loader(make: Callable[[int], Any], workers: int, size: int = 8, **more: Any) -> Any:
    length = more.pop("length", 10**6)
    return DataLoader(Items(make, length), batch_size=size, num_workers=workers, **more)


def first_of_new_ones() -> Iterator[Any]:
    """One batch of a new iterator each time."""
    made = loader(quick, 2)
    while True:
        yield next(iter(made))


def beside_validation() -> Iterator[Any]:
    """Workers of a validation set wait for their turn."""
    checks = loader(quick, 4, persistent_workers=True)
    held = iter(checks)
    next(held)
    yield from loader(slow_key, 2)
    del held


def late_validation() -> Iterator[Any]:
    """The workers of each loader wait while the other one has its turn."""
    made = loader(quick, 2, length=1280, persistent_workers=True)
    checks = loader(slow_key, 2, length=480, persistent_workers=True)
    while True:
        yield from made
        yield from checks


def both() -> Iterator[Any]:
    return zip(loader(quick, 1), loader(slow_key, 1), strict=False)


Loop = tuple[Callable[[], Any], Callable[[Any], object]]


def loops() -> dict[str, Loop]:
    """Every loop: what makes its batches, and its step."""
    step = sleep(0.005)
    simulator = Simulator()
    mapped = MappedPages(quick)
    return {
        "prefetcher-class": (lambda: Prefetcher(loader(slow_key, 2)), step),
        "prefetch-generator": (lambda: prefetched(loader(unpack, 1, 4)), step),
        "pool-downloads": (lambda: loader(many_downloads, 2), step),
        "pool-inflates": (lambda: loader(many_inflates, 1, 4), step),
        "async-batches": (lambda: DataLoader(AsyncItems(quick), 8, num_workers=2), step),
        "programs": (lambda: loader(other_program, 2, 2), step),
        "mapped-pages": (lambda: DataLoader(mapped, 8, num_workers=2), sleep(0.001)),
        "sampler": (
            lambda: DataLoader(Items(quick), batch_sampler=Weighted(), num_workers=2),
            step,
        ),
        "shard-openings": (lambda: DataLoader(Shards(), 16, num_workers=2), step),
        "two-loaders": (both, step),
        "idle-validation": (beside_validation, step),
        "late-validation": (late_validation, step),
        "first-of-new-iterators": (first_of_new_ones, sleep(0.02)),
        "waits-for-a-simulator": (lambda: loader(quick, 1), lambda _: next(simulator)),
        "prefetched-in-time": (lambda: prefetched(loader(slow_key, 2, 2)), sleep(0.06)),
    }


def main() -> None:
    """Run one loop, and measure it from inside."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("seconds", type=float)
    given = parser.parse_args()
    run_loop(given.name, given.seconds, loops())


def run_loop(name: str, seconds: float, loops: dict[str, Loop]) -> None:
    """Say the PID when it is warm, and at the end what a clock around the loader saw."""
    torch.set_num_threads(1)
    make, step = loops[name]
    made = iter(make())
    for _ in range(4):
        step(next(made))
    told: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, _: told.append(number))
    sys.stdout.write(f"{os.getpid()}\n")
    sys.stdout.flush()
    begin = last = time.perf_counter()
    waited = count = 0.0
    while last - begin < seconds and not (told and last - begin > 1.0):
        before = time.perf_counter()
        batch = next(made)
        waited += time.perf_counter() - before
        step(batch)
        count += 1
        last = time.perf_counter()
    spent = last - begin
    sys.stdout.write(json.dumps({"wait": waited / spent, "rate": count / spent}) + "\n")
    sys.stdout.flush()
    for path in Path(FOLDER).glob(f"loops-{os.getpid()}*"):
        path.unlink()
    os._exit(0)


if __name__ == "__main__":
    main()
