"""
Training loops as jobs have them, to be watched: ``python jobs.py NAME SECONDS [--cured]``.

A trainer with callbacks, shards, a web server, a database of text, ranks, logs. As loop.py
says, so does this: its PID when it is warm, and then what its own clock saw. ``--cured``
runs the same job without its fault: what it waits for data then proves the label.
"""

# What torch gives has no types.
# pyright: reportUnknownMemberType=false

import gc
import gzip
import json
import os
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import torch
from late_server import start_late_server
from loop import sleep
from loop_items import FOLDER, direct
from ranks import join_ranks, launch_ranks
from styles import Loop, loader, quick, run_loop
from torch.utils.data import DataLoader, IterableDataset, Sampler

WORDS = ["".join(random.choices("abcdefgh ", k=9)) for _ in range(4000)]
DOCUMENT = " ".join(WORDS)
RECORD = gzip.compress(json.dumps([{"text": w, "n": k} for k, w in enumerate(WORDS)]).encode())
LENGTHS = [random.randrange(500) for _ in range(60_000)]
MATRIX = torch.ones(600, 600)
CURED = "--cured" in sys.argv
SMALL = direct(4096)
Step = Callable[[Any], object]


def nothing(_: int) -> Any:
    return torch.zeros(4)


# --- items


def tokens(index: int) -> Any:
    found = [hash(w) % 999 for w in re.findall(r"\w+|[^\w\s]", DOCUMENT)]  # hot: tokenizes
    return torch.tensor(found[index % 9 : index % 9 + 4])


def download(index: int) -> Any:
    with urlopen(f"http://127.0.0.1:{os.environ['LOOP_PORT']}/{index}") as answer:  # hot: http
        return torch.tensor(len(answer.read()))


def small_reads(index: int) -> Any:
    return torch.stack([SMALL(index * 64 + k) for k in range(64)])


def slow_disk(_: int) -> Any:
    time.sleep(0.009)  # hot: slow-rank
    return torch.zeros(4)


def multiply(_: int) -> Any:
    return (MATRIX @ MATRIX)[0, :4]  # hot: threads-in-workers


def collects_garbage(index: int) -> Any:
    HEAP.append({"index": index})
    gc.collect()  # hot: garbage
    return torch.zeros(4)


HEAP: list[Any] = []


def build_heap(_: int) -> None:
    HEAP.extend([{"k": k} for k in range(120_000)])


def open_index(_: int) -> None:
    """What many write into worker_init_fn: an index is read, in every worker, every epoch."""
    json.loads(json.dumps([{"id": k} for k in range(150_000)]))


def use_threads(_: int) -> None:
    torch.set_num_threads(4)


# --- datasets, samplers, collating


class Shards(IterableDataset[Any]):
    """Compressed records, one after the other."""

    def __iter__(self) -> Iterator[Any]:
        while True:
            rows = json.loads(gzip.decompress(RECORD))  # hot: shards
            yield torch.tensor(len(rows))


class ByLength(Sampler[list[int]]):
    """Sorts all items again for each batch, so that a batch has items of one length."""

    def __iter__(self) -> Iterator[list[int]]:
        while True:
            order = sorted(range(60_000), key=lambda k: LENGTHS[k] + random.random())  # hot: sorts
            yield order[:8]


def pad(batch: list[Any]) -> Any:
    rows: list[Any] = []
    for item in batch:
        values = item.tolist() + [0] * 9000
        rows.append([float(v) * 0.5 for v in values])
    return torch.tensor(rows)  # hot: pads-in-main


# --- steps, and what surrounds them


class Trainer:
    """Epochs, callbacks and one batch read ahead, as trainers of libraries do it."""

    def __init__(self, made: Any, callbacks: list[Callable[[int], None]]) -> None:
        self.made, self.callbacks = made, callbacks

    def __iter__(self) -> Iterator[Any]:
        while True:
            batches = iter(self.made)
            ahead = next(batches)
            for step, following in enumerate(batches):
                for callback in self.callbacks:
                    callback(step)
                yield ahead
                ahead = following


def write_log(_: Any) -> None:
    with open(Path(FOLDER) / f"loops-{os.getpid()}", "a") as file:  # noqa: PTH123
        file.writelines(json.dumps({name: time.time()}) + "\n" for name in ("loss", "rate", "norm"))
        file.flush()
        os.fsync(file.fileno())
    time.sleep(0.03)


def copy_to_device(batch: Any) -> None:
    """As over a bus: the copy takes its time, and nobody can use the batch before."""
    batch.to(torch.float64, copy=True)
    time.sleep(0.025)


STEPS = [0]


def cold_start(_: Any) -> None:
    """The first steps of a shape are compiled."""
    STEPS[0] += 1
    end = time.thread_time() + (0.25 if STEPS[0] % 12 == 0 else 0.0)
    while time.thread_time() < end:
        MATRIX.matmul(MATRIX)
    time.sleep(0.02)


def average(_: Any) -> None:
    """What ranks do after each step."""
    torch.distributed.all_reduce(torch.ones(8))
    time.sleep(0.01)


def slow_average(_: Any) -> None:
    """One rank has the slower device."""
    if os.environ.get("RANK") == "1":
        time.sleep(0.04)
    average(_)


def restarts() -> Iterator[Any]:
    """After some steps a validation with workers of its own."""
    made = iter(loader(quick, 1))
    kept = loader(quick, 2, length=48, worker_init_fn=None if CURED else open_index)
    while True:
        for _ in range(8):
            yield next(made)
        yield from kept


def pick(faulty: Callable[[int], Any], cure: Callable[[int], Any] = nothing) -> Any:
    return cure if CURED else faulty


def loops() -> dict[str, Loop]:
    """Every loop: what makes its batches, and its step."""
    step = sleep(0.005)
    rows = DataLoader(Shards(), 4, num_workers=2)
    fine = DataLoader(RowsAtHand(), 4, num_workers=2)
    ranked = slow_disk if os.environ.get("RANK") == "1" and not CURED else nothing
    return {
        "tokenizes": (lambda: Trainer(loader(pick(tokens), 1, 4), [lambda _: None]), step),
        "shards": (lambda: fine if CURED else rows, sleep(0.002)),
        "http": (lambda: loader(download, 2, 4), sleep(0.02)),
        "small-reads": (lambda: loader(pick(small_reads), 2, 4), sleep(0.002)),
        "sorts": (
            lambda: (
                loader(quick, 1)
                if CURED
                else DataLoader(loader(quick, 1).dataset, batch_sampler=ByLength(), num_workers=1)
            ),
            step,
        ),
        "pads-in-main": (
            lambda: loader(nothing, 0, collate_fn=None if CURED else pad),
            sleep(0.01),
        ),
        "threads-in-workers": (
            lambda: loader(multiply, 2, 4, worker_init_fn=None if CURED else use_threads),
            sleep(0.002),
        ),
        "garbage": (
            lambda: loader(pick(collects_garbage), 1, 2, worker_init_fn=build_heap),
            step,
        ),
        "validation-restarts": (restarts, sleep(0.004)),
        "slow-rank": (lambda: loader(ranked, 1), average),
        # --- these only look as if data were late
        "trainer-logs": (lambda: Trainer(loader(tokens, 2, 1), []), write_log),
        "copies-to-device": (lambda: loader(nothing, 2, 64), copy_to_device),
        "cold-start": (lambda: loader(quick, 2), cold_start),
        "tiny-batches": (lambda: loader(quick, 1, 1), sleep(0.008)),
        "slow-device-of-a-rank": (lambda: loader(nothing, 1), slow_average),
    }


class RowsAtHand(IterableDataset[Any]):
    """The same rows, parsed before."""

    def __iter__(self) -> Iterator[Any]:
        while True:
            yield torch.tensor(9)


RANKED = ("slow-rank", "slow-device-of-a-rank")


def main() -> None:
    """Run one loop, and measure it from inside."""
    name = sys.argv[1]
    if name in RANKED and "RANK" not in os.environ:
        launch_ranks()
        return
    if name in RANKED:
        join_ranks()
    if name == "http":
        http = b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\ndata"
        late = start_late_server(http, 0.0 if CURED else 0.02, request_size=4096)
        os.environ["LOOP_PORT"] = str(late)
    run_loop(name, float(sys.argv[2]), loops())


if __name__ == "__main__":
    main()
