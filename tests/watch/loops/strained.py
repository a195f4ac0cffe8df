"""
Training loops under a strain, to be watched: ``python strained.py NAME SECONDS [--cured]``.

Streams, servers, quotas, threads beside the training, bursts, and batches of one. As
loop.py says, so does this: its PID when it is warm, and then what its own clock saw.
``--cured`` runs the same job without its fault: its rate then proves the label.
"""

# What torch gives has no types.
# pyright: reportUnknownMemberType=false

import contextlib
import math
import os
import queue
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from loop import sleep
from loop_items import FOLDER
from styles import Loop, loader, quick, run_loop
from torch.utils.data import DataLoader, Dataset, IterableDataset

CURED = "--cured" in sys.argv
LENGTHS = [random.randrange(40, 400) for _ in range(4096)]
DATABASE: list[sqlite3.Connection] = []
_GROUPS = ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup")


class Stream(IterableDataset[Any]):
    """What a program writes, line by line, as from a shard that is downloaded."""

    def __init__(self, delay: float) -> None:
        self.delay = delay

    def __iter__(self) -> Iterator[Any]:
        words = ("sh", "-c", f"while :; do echo row; sleep {self.delay}; done")
        with subprocess.Popen(words, stdout=subprocess.PIPE, bufsize=0) as program:
            assert program.stdout is not None
            while row := program.stdout.read(4):  # hot: stream-of-a-program
                yield torch.tensor(len(row))


class Listed(Dataset[Any]):
    """A list of everything, which is pickled for each worker that is not forked."""

    def __init__(self, rows: int, length: int) -> None:
        self.rows, self.length = [f"row {k}" for k in range(rows)], length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Any:
        return torch.tensor(len(self.rows[index % len(self.rows)]))


# --- items and collating


def count_use(index: int) -> Any:
    """Each item writes to one small database: all workers wait for each other's commits."""
    if not DATABASE:
        DATABASE.append(sqlite3.connect(Path(FOLDER) / f"loops-{os.getppid()}.db", timeout=60))
        DATABASE[0].isolation_level = None
        DATABASE[0].execute("CREATE TABLE IF NOT EXISTS used (item INTEGER)")
    row = f"INSERT INTO used VALUES ({index})"
    DATABASE[0].executescript(f"BEGIN EXCLUSIVE; {row}; COMMIT")  # hot: one-database
    return torch.zeros(4)


def ragged(index: int) -> Any:
    return torch.ones(LENGTHS[index % 4096])


def pad_each(batch: list[Any]) -> Any:
    rows: list[list[float]] = []
    longest = max(map(len, batch))
    for row in batch:
        rows.append([float(v) for v in row])  # hot: pads-ragged
        rows[-1] += [0.0] * (longest - len(row))
    return torch.tensor(rows)


def burst(index: int) -> Any:
    """Sixteen batches of eight come at once; then the store makes them wait once."""
    if index % 128 == 7:
        time.sleep(0.4)  # hot: bursts
    return torch.zeros(4)


def computes(index: int) -> Any:
    total = 0.0
    for k in range(40_000):
        total += math.sqrt(k + index)  # hot: tight-quota workers-in-a-quota
    return torch.tensor(total)


# --- steps, and what runs beside them


def measure(_: Any) -> None:
    """Metrics of every step, in Python."""
    scores = [random.random() for _ in range(150_000)]  # hot: metrics-each-step
    if len(scores) > 1:
        time.sleep(0.002)


class Converter:
    """A thread of the training process takes batches and converts them, value by value."""

    def __init__(self, made: Any) -> None:
        self.ready: queue.Queue[Any] = queue.Queue(2)
        threading.Thread(target=self.fill, args=(made,), daemon=True).start()

    def fill(self, made: Any) -> None:
        for batch in made:
            rows = batch.tolist()
            for _ in range(1 if CURED else 120):
                rows = [[v * 0.5 + 1.0 for v in row] for row in rows]  # hot: converts-in-a-thread
            self.ready.put(torch.tensor(rows))

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return self.ready.get()


def wide(_: int) -> Any:
    return torch.ones(120)


def write_in_background(_: Any) -> None:
    """A log that another thread writes, while the device computes."""
    threading.Thread(target=time.sleep, args=(0.02,)).start()
    time.sleep(0.03)


def join_quota(cpus: float) -> None:
    """Become a member of a control group with a quota; raises OSError where that is refused."""
    for root in _GROUPS:
        for old in Path(root).glob("loops-*"):
            with contextlib.suppress(OSError):  # somebody is in it
                old.rmdir()
        group = Path(root) / f"loops-{os.getpid()}"
        try:
            group.mkdir()
            if (group / "cpu.max").exists():
                (group / "cpu.max").write_text(f"{int(cpus * 1e5)} 100000")
            else:
                (group / "cpu.cfs_quota_us").write_text(str(int(cpus * 1e5)))
            (group / "cgroup.procs").write_text(str(os.getpid()))
        except OSError:
            continue
        return
    message = "no control group can be made here"
    raise OSError(message)


def limited(cpus: float, make: Callable[[], Any]) -> Callable[[], Any]:
    """The same under a quota."""

    def start() -> Any:
        if not CURED:
            join_quota(cpus)
        return make()

    return start


def again_and_again(make: Callable[[], Any]) -> Iterator[Any]:
    """An epoch after the other."""
    made = make()
    while True:
        yield from made


def pickled() -> Iterator[Any]:
    rows = Listed(10 if CURED else 200_000, 64)
    context = None if CURED else "forkserver"
    kept = {"persistent_workers": CURED, "multiprocessing_context": context}
    return again_and_again(lambda: DataLoader(rows, 8, num_workers=1, **kept))  # type: ignore[arg-type]


def loops() -> dict[str, Loop]:
    """Every loop: what makes its batches, and its step."""
    step = sleep(0.005)
    stream = Stream(0.0005 if CURED else 0.01)
    return {
        "stream-of-a-program": (lambda: DataLoader(stream, 4, num_workers=2), step),
        "one-database": (lambda: loader(quick if CURED else count_use, 4, 4), step),
        "pads-ragged": (
            lambda: (
                loader(ragged, 1, 64, collate_fn=torch.nn.utils.rnn.pad_sequence)
                if CURED
                else loader(ragged, 1, 64, collate_fn=pad_each)
            ),
            step,
        ),
        "bursts": (lambda: loader(quick if CURED else burst, 2, prefetch_factor=1), step),
        "tight-quota": (limited(0.1, lambda: loader(computes, 2, 2)), step),
        "workers-in-a-quota": (limited(0.2, lambda: loader(computes, 4, 4)), step),
        "metrics-each-step": (
            lambda: loader(quick, 1),
            sleep(0.002) if CURED else measure,
        ),
        "converts-in-a-thread": (lambda: Converter(loader(wide, 1, 16)), step),
        "pickles-the-dataset": (pickled, sleep(0.001)),
        "one-by-one": (lambda: loader(quick, 2, 64 if CURED else 1), lambda _: None),
        # --- these only look as if data were late
        "stream-in-time": (lambda: DataLoader(stream, 2, num_workers=2), sleep(0.06)),
        "logs-in-background": (lambda: loader(quick, 1), write_in_background),
    }


def main() -> None:
    """Run one loop, and measure it from inside."""
    run_loop(sys.argv[1], float(sys.argv[2]), loops())


if __name__ == "__main__":
    main()
