"""Datasets whose bottleneck is known, since it was put in: those of `labelled.py`."""

import fcntl
import json
import math
import mmap
import random
import tempfile
import time
import zlib
from statistics import NormalDist
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset, IterableDataset, get_worker_info

SIZE = 10**6


def burn(seconds: float) -> None:
    """Use the CPU of this thread for so long, whoever else is there."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def chance(index: int) -> float:
    """The same number for an index in every process."""
    return index * 2654435761 % 1000 / 1000


class Made(Dataset[Any]):
    """A dataset of any length."""

    def __len__(self) -> int:
        return SIZE


class Latency(Made):
    """Every sample waits 8 ms, however many others wait."""

    def __getitem__(self, index: int) -> Any:
        time.sleep(0.008)
        return torch.zeros(3, 32, 32), index


class Bandwidth(Made):
    """All workers share a store that gives one sample every 2.5 ms."""

    def __init__(self) -> None:
        self.lock = tempfile.NamedTemporaryFile(prefix="pipedoctor-test-")  # noqa: SIM115

    def __getitem__(self, index: int) -> Any:
        with open(self.lock.name, "rb") as file:  # noqa: PTH123
            fcntl.flock(file, fcntl.LOCK_EX)
            time.sleep(0.0025)
        return torch.zeros(3, 32, 32), index


class Decode(Made):
    """Samples that are compressed, as files of images are."""

    def __init__(self) -> None:
        noise = np.random.default_rng(3).integers(0, 12, 600_000, dtype=np.uint8)
        self.packed = zlib.compress(noise.tobytes(), 6)

    def __getitem__(self, index: int) -> Any:
        return torch.frombuffer(bytearray(zlib.decompress(self.packed)[:3072]), dtype=torch.uint8)


class Text(Made):
    """Samples that are JSON."""

    def __init__(self) -> None:
        self.text = json.dumps([{"x": i / 3, "y": [i, i + 1]} for i in range(2000)])

    def __getitem__(self, index: int) -> Any:
        return torch.tensor([row["x"] for row in json.loads(self.text)[:64]])


class Transform(Made):
    """An augmentation in plain Python."""

    def __getitem__(self, index: int) -> Any:
        burn(0.002)
        return torch.zeros(3, 64, 64), index


class Numeric(Made):
    """A product of matrices for every sample, by numpy's own threads."""

    def __init__(self) -> None:
        self.matrix = np.random.default_rng(1).standard_normal((384, 384))

    def __getitem__(self, index: int) -> Any:
        return torch.tensor((self.matrix @ self.matrix)[:8, :8])


class Small(Made):
    """Seven tiny tensors for each sample, which nobody collates."""

    def __getitem__(self, index: int) -> Any:
        return {f"k{j}": torch.ones(4) for j in range(7)}


class Large(Made):
    """Samples of 6 MB that cost nothing to make."""

    def __init__(self) -> None:
        self.frames = torch.zeros(8, 3, 512, 1024)

    def __getitem__(self, index: int) -> Any:
        return self.frames[index % 8]


class Stragglers(Made):
    """Three of a hundred samples take 60 ms, the others 1 ms."""

    def __getitem__(self, index: int) -> Any:
        burn(0.001)
        if chance(index) < 0.03:
            time.sleep(0.06)
        return torch.zeros(3, 64, 64), index


class Cheap(Made):
    """Samples that cost next to nothing."""

    def __getitem__(self, index: int) -> Any:
        return torch.zeros(3, 32, 32), index


class Faulty(Made):
    """Every sample takes fresh pages from the kernel and gives them back."""

    def __getitem__(self, index: int) -> Any:
        with mmap.mmap(-1, 4 << 20) as area:
            for at in range(0, 4 << 20, 4096):
                area[at] = 1
        return torch.zeros(3, 32, 32), index


class Tailed(Made):
    """Two milliseconds of waiting in the median, with a heavy tail; one of work."""

    def __getitem__(self, index: int) -> Any:
        time.sleep(0.002 * math.exp(0.9 * NormalDist().inv_cdf(5e-4 + chance(index))))
        burn(0.001)
        return torch.zeros(3, 32, 32), index


class Locked(Bandwidth):
    """Most of the work is done under a lock that all workers share."""

    def __getitem__(self, index: int) -> Any:
        with open(self.lock.name, "rb") as file:  # noqa: PTH123
            fcntl.flock(file, fcntl.LOCK_EX)
            burn(0.0025)
        burn(0.0002)
        return torch.zeros(3, 32, 32), index


class Ragged(Made):
    """Sequences of any length that cost nothing."""

    def __getitem__(self, index: int) -> Any:
        return list(range(50 + int(400 * chance(index))))


class Shards(IterableDataset[Any]):
    """A stream of compressed samples, through a buffer that shuffles them."""

    def __iter__(self) -> Any:
        packed, draw, info = Decode(), random.Random(1), get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        buffer: list[Any] = []
        for index in range(first, SIZE, step):
            if len(buffer) == 16:
                at = draw.randrange(16)
                buffer[at], buffer[-1] = buffer[-1], buffer[at]
                yield buffer.pop()
            buffer.append(packed[index])
