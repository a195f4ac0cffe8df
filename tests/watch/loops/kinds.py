"""
Training loops of everyday kinds, to be watched: ``python kinds.py NAME SECONDS [--cured]``.

Archives, tables, files of torch, tokens, frames of a video, caches and shards, pinned
batches, and what stands around a step. As loop.py says, so does this: its PID when it is
warm, and then what its own clock saw. ``--cured`` runs the same job without its fault.
"""

# What torch gives has no types.
# pyright: reportUnknownMemberType=false

import fcntl
import io
import itertools
import json
import math
import os
import random
import re
import sqlite3
import sys
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from loop import sleep
from loop_items import FOLDER, as_it_is, decode, large, pieces
from styles import Loop, loader, quick, run_loop
from torch.utils.data import DataLoader, IterableDataset

CURED = "--cured" in sys.argv
RANDOM = np.random.default_rng(3)
WORDS = ["".join(random.choices("abcdefghij", k=6)) for _ in range(600)]
LINE = json.dumps({"id": 7, "tokens": list(range(3000)), "meta": {"a": [1.5] * 900}})
TEXTS = [" ".join(random.choices(WORDS, k=150)) for _ in range(64)]
CACHE: dict[int, list[float]] = {}
ZIPS: list[zipfile.ZipFile] = []
BASES: list[sqlite3.Connection] = []
POOL: list[ThreadPoolExecutor] = []
STEPS = itertools.count()
PREFIX = f"loops-{os.getpid()}"


def here(name: str) -> Path:
    return Path(FOLDER) / f"{PREFIX}-{name}"


# --- items and collating


def cached(index: int) -> Any:
    """A cache that grows and never hits: each item is asked for once."""
    if index not in CACHE:
        CACHE[index] = [math.sin(k * 0.1 + index) for k in range(30_000)]  # hot: growing-cache
    return torch.tensor(CACHE[index][:8])


def text_of(index: int) -> str:
    return TEXTS[index % len(TEXTS)]


def tokenize(texts: list[str]) -> Any:
    """The vocabulary is a list, which is searched for each word."""
    rows: list[list[int]] = []
    for text in texts:
        words = re.findall(r"\w+|\S", text)
        rows.append([WORDS.index(word) for word in words])  # hot: tokens-in-collate
    return torch.tensor([row[:32] for row in rows])


def offset_of_file(_: int) -> Any:
    """One index, which each worker locks to read where its item begins."""
    with open(here("index"), "a+b") as file:  # noqa: PTH123
        fcntl.lockf(file, fcntl.LOCK_EX)  # hot: locked-index
        time.sleep(0.004)
    return torch.zeros(4)


class Video:
    """Key frames and differences: who seeks decodes all frames from the last key frame on."""

    def __init__(self) -> None:
        frames = [RANDOM.integers(0, 9, 120_000, np.uint8) for _ in range(24)]
        self.packed = [zlib.compress(frame.tobytes(), 1) for frame in frames]

    def seek(self, number: int) -> Any:
        frame = np.zeros(120_000, np.uint8)
        for k in range(number // 12 * 12, number + 1):
            frame += np.frombuffer(zlib.decompress(self.packed[k % 24]), np.uint8)  # hot: seeks
        return frame


VIDEO = Video()


def clip(index: int) -> Any:
    return torch.tensor(VIDEO.seek(index * 7 % 240)[:4])


def json_line(_: int) -> Any:
    return torch.tensor(json.loads(LINE)["tokens"][:8])  # hot: json-lines


def zip_member(index: int) -> Any:
    if not ZIPS:
        ZIPS.append(zipfile.ZipFile(here("data.zip")))
    return torch.tensor(len(ZIPS[0].read(f"{index % 40}.bin")))  # hot: zip-members


def tar_member(index: int) -> Any:
    """Opened for each item: what lies before it in the archive is read again."""
    with tarfile.open(here("data.tar")) as archive:
        member = archive.extractfile(f"{index % 900}.bin")  # hot: tar-members
        assert member is not None
        return torch.tensor(len(member.read()))


def row_of_table(index: int) -> Any:
    """Nothing says where a name is: each query walks through the table."""
    if not BASES:
        BASES.append(sqlite3.connect(here("rows.db")))
    query = "SELECT value FROM rows WHERE name = ?"
    row = BASES[0].execute(query, (f"n{index % 20000}",)).fetchone()  # hot: table-scan
    return torch.tensor(row[0])


def saved_tensor(index: int) -> Any:
    return torch.load(here(f"{index % 8}.pt"))["x"][:4]  # hot: torch-load


def augment(index: int) -> float:
    return sum(math.sqrt(k + index) for k in range(9000))


def augment_in_threads(index: int) -> Any:
    """The interpreter's lock lets one of them run."""
    if not POOL:
        POOL.append(ThreadPoolExecutor(4))
    return torch.tensor(list(POOL[0].map(augment, range(index, index + 4))))  # hot: gil-threads


def uneven(index: int) -> Any:
    """Of nine batches one has long items."""
    if index // 8 % 9 == 4:
        time.sleep(0.06)  # hot: uneven-batches
    return torch.zeros(4)


class Sharded(IterableDataset[Any]):
    """One worker has the shard that lies on a slow mount."""

    def __iter__(self) -> Iterator[Any]:
        info = torch.utils.data.get_worker_info()
        slow = info is not None and info.id == 0 and not CURED
        while True:
            if slow:
                time.sleep(0.03)  # hot: one-slow-shard
            yield torch.zeros(4)


# --- steps, and what surrounds them


def reads_each_loss(_: Any) -> None:
    """The device is asked in each step, and waited for there."""
    time.sleep(0.03)
    torch.ones(4).sum().item()


def bursts(_: Any) -> None:
    """A device with a queue: five steps return at once, and the sixth waits for them all."""
    if next(STEPS) % 6 == 5:
        time.sleep(0.15)


def saves(_: Any) -> None:
    time.sleep(0.02)
    if next(STEPS) % 25 == 24:
        torch.save({"w": torch.zeros(3_000_000)}, here("checkpoint.pt"))


def epochs(make: Callable[[], Any], *, kept: bool) -> Iterator[Any]:
    made = make()
    while True:
        yield from made
        made = made if kept else make()


def pretend_a_device() -> None:
    """Pinning needs an accelerator; here a copy takes its place."""
    torch.accelerator.is_available = lambda: True
    torch.accelerator.current_device_index = lambda: 0
    torch.accelerator.set_device_index = lambda _: None
    torch.Tensor.pin_memory = torch.Tensor.clone  # type: ignore[assignment]


def prepare(name: str) -> None:
    """The files of a loop, and its device."""
    if name.startswith("pinned"):
        pretend_a_device()
    elif name == "zip-members":
        with zipfile.ZipFile(here("data.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            for k in range(40):
                archive.writestr(f"{k}.bin", RANDOM.integers(0, 5, 400_000, np.uint8).tobytes())
    elif name == "tar-members":
        with tarfile.open(here("data.tar"), "w") as tar:
            for k in range(900):
                member = tarfile.TarInfo(f"{k}.bin")
                member.size = 600
                tar.addfile(member, io.BytesIO(bytes(600)))
    elif name == "table-scan":
        base = sqlite3.connect(here("rows.db"))
        base.execute("CREATE TABLE rows (name TEXT, value REAL)")
        rows = ((f"n{k}", k * 0.5) for k in range(20_000))
        base.executemany("INSERT INTO rows VALUES (?, ?)", rows)
        base.commit()
        base.close()
    elif name == "torch-load":
        for k in range(8):
            more = [torch.zeros(3) for _ in range(40)]
            torch.save({"x": torch.arange(40), "more": more}, here(f"{k}.pt"))


def pick(faulty: Callable[[int], Any]) -> Callable[[int], Any]:
    return quick if CURED else faulty


def loops() -> dict[str, Loop]:
    """Every loop: what makes its batches, and its step."""
    step, pinned = sleep(0.005), {"pin_memory": True}
    tokens: Any = {} if CURED else {"collate_fn": tokenize}
    whole: Any = {} if CURED else {"collate_fn": as_it_is}
    short = {"length": 160, "persistent_workers": True}
    return {
        "growing-cache": (lambda: loader(pick(cached), 1, 4), step),
        "tokens-in-collate": (lambda: loader(pick(text_of), 1, 16, **tokens), step),
        "locked-index": (lambda: loader(pick(offset_of_file), 4), step),
        "seeks": (lambda: loader(pick(clip), 2, 2), step),
        "json-lines": (lambda: loader(pick(json_line), 1, 16), step),
        "zip-members": (lambda: loader(pick(zip_member), 1, 4), step),
        "tar-members": (lambda: loader(pick(tar_member), 2, 2), step),
        "table-scan": (lambda: loader(pick(row_of_table), 1, 8), step),
        "torch-load": (lambda: loader(pick(saved_tensor), 1, 8), step),
        "gil-threads": (lambda: loader(pick(augment_in_threads), 1, 4), step),
        "uneven-batches": (lambda: loader(pick(uneven), 2, 8), step),
        "one-slow-shard": (lambda: DataLoader(Sharded(), 4, num_workers=4), step),
        "pinned-pieces": (lambda: loader(pick(pieces), 2, 16, **pinned, **whole), step),
        "pinned-large": (lambda: loader(pick(large), 1, 16, **pinned), step),
        # --- these only look as if data were late
        "pinned-in-time": (lambda: loader(quick, 2, **pinned), sleep(0.03)),
        "reads-each-loss": (lambda: loader(quick, 1), reads_each_loss),
        "bursty-device": (lambda: loader(quick, 1, 2), bursts),
        "saves-now-and-then": (lambda: loader(quick, 1), saves),
        "long-epochs": (lambda: epochs(lambda: loader(quick, 2, length=640), kept=False), saves),
        "short-epochs-kept": (lambda: epochs(lambda: loader(quick, 2, **short), kept=True), saves),
        "one-batch-ahead": (lambda: loader(decode, 1, 1, prefetch_factor=1), sleep(0.06)),
    }


def main() -> None:
    """Run one loop, and measure it from inside."""
    prepare(sys.argv[1])
    run_loop(sys.argv[1], float(sys.argv[2]), loops())


if __name__ == "__main__":
    main()
