"""
Training loops of other fields, to be watched: ``python fields.py NAME SECONDS [--cured]``.

Sound, graphs, archives of text, services with few permits, coroutines and batches in one call
in a worker; and steps that are done elsewhere. As loop.py says, so does this: its PID when it
is warm, and then what its own clock saw. ``--cured`` runs the same job without its fault.
"""

# What torch gives has no types.
# pyright: reportUnknownMemberType=false

import asyncio
import copy
import gzip
import hashlib
import multiprocessing
import os
import pickle
import random
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from loop import sleep
from loop_items import FOLDER
from styles import Loop, loader, quick, run_loop
from torch.utils.data import DataLoader, Dataset, IterableDataset, Sampler

CURED = "--cured" in sys.argv
RANDOM = np.random.default_rng(5)
SOUND = RANDOM.normal(size=400_000)
GRAPH = {n: [random.randrange(3000) for _ in range(12)] for n in range(3000)}
DOCUMENT = {"pages": [{"words": [f"w{k}" for k in range(80)], "at": k} for k in range(160)]}
PERMITS = multiprocessing.get_context("fork").Semaphore(2)
POOL: list[ProcessPoolExecutor] = []
KEPT: dict[int, Any] = {}
PREFIX = f"loops-{os.getpid()}"


def here(name: str) -> Path:
    return Path(FOLDER) / f"{PREFIX}-{name}"


# --- items and collating


def resampled(_: int) -> Any:
    """From one rate to another, by interpolation."""
    times = np.arange(0, SOUND.size - 1, 1.37)
    heard = np.interp(times, np.arange(SOUND.size), SOUND)  # hot: resamples-sound
    return torch.tensor(heard[:8])


class LinesOfArchives(IterableDataset[Any]):
    """Texts, line by line, out of a compressed file."""

    def __iter__(self) -> Iterator[Any]:
        while True:
            if CURED:
                yield torch.zeros(8)
                continue
            with gzip.open(here("lines.gz"), "rt") as file:
                for line in file:  # hot: lines-of-archives
                    yield torch.tensor(len(line))


def write_lines() -> None:
    words = " ".join(str(n) for n in range(120_000))
    with gzip.open(here("lines.gz"), "wt", compresslevel=5) as file:
        for number in range(12):
            file.write(f"{number} {words}\n")


def unpickled(_: int) -> Any:
    record = pickle.loads(here("record.pickle").read_bytes())  # hot: unpickles
    return torch.tensor(len(record))


def write_record() -> None:
    here("record.pickle").write_bytes(pickle.dumps([{"id": n, "x": [n] * 9} for n in range(9000)]))


def ask_until_answered(index: int) -> Any:
    """A service that refuses at first: asked again, after longer and longer pauses."""
    for attempt in range(3):
        if index % 4 < 4 - attempt:
            time.sleep(0.004 * 2**attempt)  # hot: asks-again
    return torch.zeros(8)


def permitted(_: int) -> Any:
    """No more than two downloads at a time, whoever they are for."""
    with PERMITS:  # hot: few-permits
        time.sleep(0.004)
    return torch.zeros(8)


def hashed(_: int) -> Any:
    data = bytes(3_000_000)
    return torch.tensor(hashlib.sha256(data).digest()[0])  # hot: hashes


def copied(_: int) -> Any:
    page = copy.deepcopy(DOCUMENT)  # hot: copies-documents
    return torch.tensor(len(page["pages"]))


def sample_neighbours(seeds: list[Any]) -> Any:
    """Two hops around each node of a batch."""
    nodes: set[int] = set()
    for seed in seeds:
        near = {n for start in GRAPH[int(seed) % 3000] for n in GRAPH[start]}
        nodes |= {n for start in near for n in GRAPH[start] if n % 3}  # hot: samples-graphs
    return torch.tensor(len(nodes))


def node(index: int) -> int:
    return index


async def fetch_parts() -> float:
    parts = [asyncio.sleep(0.008 + 0.001 * k, result=1.0) for k in range(4)]
    return sum(await asyncio.gather(*parts))


def by_coroutines(_: int) -> Any:
    return torch.tensor(asyncio.run(fetch_parts()))  # hot: coroutines-in-workers


class InOneCall(Dataset[Any]):
    """A store that gives all items of a batch at once, and takes its time."""

    def __len__(self) -> int:
        return 10**6

    def __getitem__(self, index: int) -> Any:
        return torch.zeros(8)

    def __getitems__(self, indices: list[int]) -> list[Any]:
        if not CURED:
            time.sleep(0.05)  # hot: batches-in-one-call
        return [torch.zeros(8) for _ in indices]


def kept(index: int) -> Any:
    """Slow once, and then in memory."""
    if index not in KEPT:
        time.sleep(0.002)
        KEPT[index] = torch.zeros(8)
    return KEPT[index]


class Curriculum(Sampler[int]):
    """Orders everything again for each short epoch."""

    def __iter__(self) -> Iterator[int]:
        if CURED:
            yield from range(64)
            return
        order = sorted(range(60_000), key=lambda n: -n * 7919 % 60_013)  # hot: orders-epochs
        yield from order[:64]


def epochs() -> Iterator[Any]:
    items = DataLoader(
        InOneCall() if CURED else loader(quick, 0).dataset,
        batch_size=8,
        sampler=Curriculum(),
        num_workers=1,
        persistent_workers=True,
    )
    while True:
        yield from items


# --- steps


def trained(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def start_pool() -> Iterator[Any]:
    POOL.append(ProcessPoolExecutor(1, multiprocessing.get_context("spawn")))
    POOL[0].submit(trained, 0.0).result()
    return iter(loader(quick, 1))


def step_of_a_pool(_: Any) -> None:
    POOL[0].submit(trained, 0.04).result()


class RemoteStep:
    """Sends a batch to the process that has the model, and waits for its loss."""

    def __init__(self) -> None:
        self.here, there = multiprocessing.get_context("fork").Pipe()
        self.there = there
        self.pid = 0

    def __call__(self, _: Any) -> None:
        if not self.pid:
            self.pid = os.fork()
            if not self.pid:
                self.serve()
        self.here.send(b"batch" * 100)
        self.here.recv()

    def serve(self) -> None:
        parent = os.getppid()
        while os.getppid() == parent:
            if self.there.poll(1.0):
                self.there.recv()
                time.sleep(0.04)
                self.there.send(0.5)
        os._exit(0)


# --- loops


def pick(faulty: Callable[[int], Any]) -> Callable[[int], Any]:
    return quick if CURED else faulty


def lines_of_archives() -> Any:
    write_lines()
    return DataLoader(LinesOfArchives(), batch_size=8, num_workers=1)


def unpickles() -> Any:
    write_record()
    return loader(pick(unpickled), 1)


def loops() -> dict[str, Loop]:
    """Every loop: what makes its batches, and its step."""
    step = sleep(0.005)
    graphs: Any = {} if CURED else {"collate_fn": sample_neighbours}
    return {
        "resamples-sound": (lambda: loader(pick(resampled), 2), step),
        "lines-of-archives": (lines_of_archives, step),
        "unpickles": (unpickles, step),
        "asks-again": (lambda: loader(pick(ask_until_answered), 2), step),
        "few-permits": (lambda: loader(pick(permitted), 6), step),
        "samples-graphs": (lambda: loader(node, 1, 160, **graphs), step),
        "hashes": (lambda: loader(pick(hashed), 2), step),
        "copies-documents": (lambda: loader(pick(copied), 1), step),
        "coroutines-in-workers": (lambda: loader(pick(by_coroutines), 2), step),
        "batches-in-one-call": (lambda: DataLoader(InOneCall(), 8, num_workers=2), step),
        "orders-epochs": (epochs, sleep(0.002)),
        # --- these only look as if data were late
        "step-of-a-pool": (start_pool, step_of_a_pool),
        "remote-step": (lambda: loader(quick, 1), RemoteStep()),
        "zips-in-time": (
            lambda: zip(loader(quick, 1), loader(resampled, 1, 2), strict=False),
            sleep(0.09),
        ),
        "fills-its-cache": (
            lambda: loader(lambda n: kept(n % 40), 1),
            sleep(0.02),
        ),
    }


if __name__ == "__main__":
    run_loop(sys.argv[1], float(sys.argv[2]), loops())
