"""
Training loops with a known bottleneck, to be watched: ``python loop.py NAME SECONDS``.

Says its PID when it is warm, and at the end which share of the time its own clock
around the loader saw. The line at fault, here or in loop_items.py, is marked with the
name of the loop.
"""

# What torch gives has no types.
# pyright: reportUnknownMemberType=false

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from late_server import start_late_server
from loop_items import (
    DIRECT_LARGE,
    FOLDER,
    Items,
    array,
    as_it_is,
    ask_server,
    decode,
    fresh_memory,
    fresh_tensor,
    large,
    locked,
    locked_flock,
    normalize,
    parse,
    pieces,
    product,
    python_loop,
    quick,
    records,
    resized,
    slow_answer,
    slow_collate,
    solved,
    tail_of_sleep,
    tail_of_work,
    unpack,
)
from torch.utils.data import DataLoader

# --- steps


def sleep(seconds: float) -> Callable[[Any], None]:
    def wait(_: Any) -> None:
        time.sleep(seconds)

    return wait


def no_step(_: Any) -> None:
    return


def numpy_step(_: Any) -> None:
    values = np.ones((3, 400, 400))
    for _ in range(6):
        values = np.sqrt(values + 0.5)  # hot: main-augments


def python_step(_: Any) -> None:
    total = 0
    for k in range(400_000):
        total += k  # hot: main-loops


class Trainer:
    """A model that learns on the CPU."""

    def __init__(self) -> None:
        self.model = torch.nn.Sequential(
            torch.nn.Linear(256, 700), torch.nn.ReLU(), torch.nn.Linear(700, 10)
        )
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)

    def __call__(self, _: Any) -> None:
        loss = self.model(torch.ones(512, 256)).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def checkpoint(_: Any) -> None:
    with open(Path(FOLDER) / f"loops-{os.getpid()}", "wb") as file:  # noqa: PTH123
        file.write(b"0" * (4 << 20))
        os.fsync(file.fileno())
    time.sleep(0.01)


def wait_for_thread(_: Any) -> None:
    done = threading.Event()
    threading.Timer(0.04, done.set).start()
    done.wait()


STEPS = [0]


def validates(_: Any) -> None:
    STEPS[0] += 1
    time.sleep(0.4 if STEPS[0] % 20 == 0 else 0.02)


def to_a_pipe(_: Any) -> None:
    subprocess.run(["sleep", "0.05"], check=True)


def matrix_step(_: Any) -> None:
    weight = torch.ones(700, 700)
    for _ in range(2):
        weight = weight @ weight / 700


# --- loops


def loader(make: Callable[[int], Any], workers: int, size: int = 8, **more: Any) -> Any:
    length = more.pop("length", 10**6)
    return DataLoader(Items(make, length), batch_size=size, num_workers=workers, **more)


Loop = tuple[Callable[[], Any], Callable[[Any], None]]
KEPT = {"persistent_workers": True}


def loops() -> dict[str, Loop]:
    """Every loop: what makes its loader, and its step."""
    step = sleep(0.005)
    return {
        "sleep-latency": (lambda: loader(slow_answer, 2), step),
        "no-workers-latency": (lambda: loader(slow_answer, 0), step),
        "many-workers-latency": (lambda: loader(slow_answer, 6, 32), step),
        "socket-latency": (lambda: loader(ask_server, 2), step),
        "one-reader": (lambda: loader(locked, 4), step),
        "file-lock": (lambda: loader(locked_flock, 4), step),
        "direct-large": (lambda: loader(DIRECT_LARGE, 4, 4), sleep(0.002)),
        "jpeg": (lambda: loader(decode, 2), step),
        "no-workers-jpeg": (lambda: loader(decode, 0), step),
        "inflate": (lambda: loader(unpack, 2, 4), step),
        "json": (lambda: loader(parse, 1, 4), step),
        "numpy-transform": (lambda: loader(normalize, 2), step),
        "python-transform": (lambda: loader(python_loop, 1), step),
        "resize": (lambda: loader(resized, 1, 4), step),
        "slow-collate": (lambda: loader(quick, 1, collate_fn=slow_collate), step),
        "blas-product": (lambda: loader(product, 2, 4), sleep(0.002)),
        "blas-inverse": (lambda: loader(solved, 2, 2), sleep(0.002)),
        "tensor-pieces": (lambda: loader(pieces, 2, 16, collate_fn=as_it_is), step),
        "tensor-records": (lambda: loader(records, 2, 16, collate_fn=as_it_is), step),
        "large-batch": (lambda: loader(large, 1, 16), step),
        "pickled-arrays": (lambda: loader(array, 1, 16, collate_fn=as_it_is), step),
        "rare-slow-sample": (lambda: loader(tail_of_sleep, 2, 16), sleep(0.01)),
        "rare-large-sample": (lambda: loader(tail_of_work, 2, 16), sleep(0.01)),
        "fresh-pages": (lambda: loader(fresh_memory, 1, 4), sleep(0.002)),
        "fresh-tensor": (lambda: loader(fresh_tensor, 1, 4), sleep(0.002)),
        "short-epochs": (lambda: loader(quick, 2, length=160), sleep(0.001)),
        "short-spawned-epochs": (
            lambda: loader(quick, 1, length=160, multiprocessing_context="forkserver"),
            sleep(0.001),
        ),
        "main-augments": (lambda: loader(quick, 1), numpy_step),
        "main-loops": (lambda: loader(quick, 1), python_step),
        "long-step": (lambda: loader(decode, 1, 4), sleep(0.06)),
        "learns-on-cpu": (lambda: loader(quick, 1), Trainer()),
        # --- these only look as if data were late
        "busy-workers-full-queue": (lambda: loader(parse, 1, 2), sleep(0.12)),
        "hidden-latency": (lambda: loader(slow_answer, 4), sleep(0.03)),
        "hidden-tail": (lambda: loader(tail_of_sleep, 2, 4), sleep(0.06)),
        "writes-checkpoints": (lambda: loader(quick, 1), checkpoint),
        "waits-for-a-thread": (lambda: loader(decode, 1, 4), wait_for_thread),
        "validates-often": (lambda: loader(quick, 1), validates),
        "starts-programs": (lambda: loader(quick, 1), to_a_pipe),
        "multiplies-on-cpu": (lambda: loader(quick, 1), matrix_step),
        "no-workers-quick": (lambda: loader(quick, 0), sleep(0.03)),
        "hidden-handover": (
            lambda: loader(pieces, 1, 2, collate_fn=as_it_is),
            sleep(0.08),
        ),
    }


def batches(made: Any) -> Iterator[Any]:
    """Epoch after epoch."""
    while True:
        yield from made


def main() -> None:
    """Run one loop, and measure it from inside."""
    import signal

    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("seconds", type=float)
    given = parser.parse_args()
    torch.set_num_threads(1)
    if given.name == "socket-latency":
        os.environ["LOOP_PORT"] = str(start_late_server(b"done", 0.006))
    make, step = loops()[given.name]
    made = batches(make())
    for _ in range(8):
        step(next(made))
    told: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, _: told.append(number))
    sys.stdout.write(f"{os.getpid()}\n")
    sys.stdout.flush()
    begin = last = time.perf_counter()
    waited = count = 0.0
    while last - begin < given.seconds and not (told and last - begin > 1.0):
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
