"""
Training loops with phases and stages, to be watched: ``python phases.py NAME SECONDS``.

Accumulated gradients, evaluation, packed sequences, queues behind queues, replay buffers,
two optimizers. As loop.py says, so does this: its PID when it is warm, and then what its own
clock saw. ``--cured`` runs the same job without its fault.
"""

# What torch gives has no types.
# pyright: reportUnknownMemberType=false

import io
import itertools
import json
import math
import os
import random
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from loop import sleep
from loop_items import PHOTO
from PIL import Image
from ranks import join_ranks, launch_ranks
from styles import Loop, Prefetcher, loader, quick, run_loop
from torch.utils.data import DataLoader

CURED = "--cured" in sys.argv
STEPS = itertools.count()


def zeros(_: int) -> Any:
    return torch.zeros(16)


def pick(faulty: Callable[[int], Any]) -> Callable[[int], Any]:
    return zeros if CURED else faulty


# --- items and collating


def thumbnail(_: int) -> Any:
    image = Image.open(io.BytesIO(PHOTO))
    image.load()  # hot: queue-behind-queue
    return torch.zeros(16)


def photo_of_validation(_: int) -> Any:
    image = Image.open(io.BytesIO(PHOTO))
    image.load()  # hot: evaluates-without-workers
    return torch.zeros(16)


def document(index: int) -> list[int]:
    return list(range(200 + index * 37 % 900))


def pack(documents: list[list[int]]) -> Any:
    """First-fit packing of documents into rows of a fixed length, token by token."""
    rows: list[list[int]] = []
    for tokens in documents:
        room = next((row for row in rows if len(row) + len(tokens) <= 2048), None)
        if room is None:
            rows.append(room := list[int]())
        for token in tokens:
            room.append(token % 32_000)  # hot: packs-in-collate
    return torch.tensor([row[:32] for row in rows])


def augment(index: int) -> Any:
    total = 0.0
    for k in range(60_000):
        total += math.sqrt(k + index)  # hot: zips-with-own-work
    return torch.full((16,), total)


class Labels:
    """A table that each worker of each epoch reads again."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.rows: dict[int, int] = {}

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Any:
        if not self.rows and not CURED:
            self.rows = json.loads(json.dumps({k: k % 10 for k in range(40_000)}))
        return torch.tensor(index % 10)


# --- batches


def new_loader_each_epoch() -> Iterator[Any]:
    """As notebooks do it: dataset and loader are made where the epoch begins."""
    rows: Any = Labels(96)
    kept: Any = DataLoader(rows, 8, num_workers=2, persistent_workers=True)
    while True:
        yield from kept if CURED else DataLoader(rows, 8, num_workers=2)


def evaluates() -> Iterator[Any]:
    """Ten quick steps of training, then a validation set that the main process decodes."""
    made = iter(loader(quick, 2))
    checks = loader(pick(photo_of_validation), 0, 4, length=32)
    while True:
        for _ in range(10):
            yield next(made)
        yield from checks


def to_device(batches: Any) -> Iterator[Any]:
    """The second stage: what the first thread has ready goes to the device."""
    yield from (batch.to(torch.float64) for batch in batches)


def queues() -> Any:
    return Prefetcher(to_device(Prefetcher(loader(pick(thumbnail), 2, 4))))


class Replay:
    """Transitions of a game, and batches of them drawn in Python."""

    def __init__(self) -> None:
        self.rows: deque[Any] = deque(maxlen=20_000)
        for k in range(20_000):
            self.rows.append((np.full(8, k, np.float32), k % 4, 0.5))

    def __iter__(self) -> Iterator[Any]:
        while True:
            yield self.draw(4 if CURED else 1024)

    def draw(self, number: int) -> Any:
        rows = [self.rows[random.randrange(20_000)] for _ in range(number)]  # hot: replay-in-main
        return torch.tensor(np.stack([row[0] for row in rows[:8]]))


# --- steps


def network(width: int) -> Any:
    layer, relu = torch.nn.Linear, torch.nn.ReLU
    return torch.nn.Sequential(layer(16, width), relu(), layer(width, width), relu())


class Accumulator:
    """Short steps, and after eight of them the optimizer's."""

    def __init__(self, short: float, long: float) -> None:
        self.short, self.long = short, long

    def __call__(self, _: Any) -> None:
        time.sleep(self.long if next(STEPS) % 8 == 7 else self.short)


class Adversaries:
    """Two networks with an optimizer each."""

    def __init__(self) -> None:
        self.makes, self.judges = network(400), network(400)
        self.first = torch.optim.Adam(self.makes.parameters())
        self.second = torch.optim.Adam(self.judges.parameters())

    def __call__(self, _: Any) -> None:
        fake = self.makes(torch.rand(64, 16))
        self.second.zero_grad()
        loss = self.judges(fake[:, :16].detach()).square().mean()
        loss.backward()
        self.second.step()
        self.first.zero_grad()
        self.judges(self.makes(torch.rand(64, 16))[:, :16]).mean().backward()
        self.first.step()


class LargeOptimizer:
    """The moments of Adam for weights that lie on the CPU."""

    def __init__(self) -> None:
        self.weights = [torch.nn.Parameter(torch.zeros(1_000_000)) for _ in range(2)]
        self.optimizer = torch.optim.AdamW(self.weights, foreach=False)

    def __call__(self, _: Any) -> None:
        for weight in self.weights:
            weight.grad = torch.ones_like(weight)
        self.optimizer.step()


class Fitted:
    """A trainer with callbacks, a progress bar and a mean of the loss, written out."""

    def __init__(self) -> None:
        self.model = network(600)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.losses: list[float] = []
        self.callbacks = [self.log, self.show, self.log]

    def __call__(self, _: Any) -> None:
        loss = self.training_step(torch.rand(1024, 16))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        for callback in self.callbacks:
            callback(loss)

    def training_step(self, batch: Any) -> Any:
        return self.model(batch).square().mean()

    def log(self, loss: Any) -> None:
        self.losses.append(loss.item())

    def show(self, loss: Any) -> None:
        mean = sum(self.losses[-50:]) / len(self.losses[-50:])
        print(f"\rloss {loss.item():.3f} mean {mean:.3f}", end="", file=sys.stderr)  # noqa: T201


def rank_step() -> Callable[[Any], None]:
    """Real gradients of two ranks; the model of one has more to do."""
    model: Any = network(64)
    if "RANK" in os.environ:
        model = torch.nn.parallel.DistributedDataParallel(model)

    def step(_: Any) -> None:
        if os.environ.get("RANK") == "1":
            time.sleep(0.04)
        model(torch.rand(8, 16)).mean().backward()

    return step


def evaluates_in_time() -> Iterator[Any]:
    made = iter(loader(quick, 1))
    checks = loader(zeros, 1, 8, length=160, persistent_workers=True)
    while True:
        for _ in range(40):
            yield next(made)
        yield from checks


def loops() -> dict[str, Loop]:
    """Every loop: what makes its batches, and its step."""
    step = sleep(0.005)
    packing: Any = {} if CURED else {"collate_fn": pack}
    return {
        "queue-behind-queue": (queues, step),
        "evaluates-without-workers": (evaluates, step),
        "packs-in-collate": (
            lambda: loader(zeros if CURED else document, 1, 160, **packing),
            step,
        ),
        "zips-with-own-work": (
            lambda: zip(loader(quick, 2), loader(pick(augment), 0, 2), strict=False),
            step,
        ),
        "new-loader-each-epoch": (new_loader_each_epoch, sleep(0.002)),
        "replay-in-main": (Replay, lambda _: None),
        # --- these only look as if data were late
        "accumulates-in-time": (lambda: loader(quick, 2), Accumulator(0.002, 0.15)),
        "evaluates-in-time": (evaluates_in_time, sleep(0.015)),
        "large-optimizer": (lambda: loader(quick, 1), LargeOptimizer()),
        "adversaries": (lambda: loader(quick, 1), Adversaries()),
        "trainer-with-callbacks": (lambda: loader(quick, 1), Fitted()),
        "slow-model-of-a-rank": (lambda: loader(zeros, 1), rank_step()),
    }


RANKED = ("slow-model-of-a-rank",)


def main() -> None:
    """Run one loop, and measure it from inside."""
    name = sys.argv[1]
    if name in RANKED and "RANK" not in os.environ:
        launch_ranks()
        return
    if name in RANKED:
        join_ranks()
    run_loop(name, float(sys.argv[2]), loops())


if __name__ == "__main__":
    main()
