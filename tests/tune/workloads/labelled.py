"""
Loaders whose bottleneck is known, since it was put in.

`LABELS` gives for each callable the cause, and the options of `tune` that go with it.
"""

import fcntl
import json
import math
import mmap
import random
import tempfile
import time
import zlib
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

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


def io_latency() -> Any:
    return DataLoader(Latency(), batch_size=16)


def io_latency_many() -> Any:
    return DataLoader(Latency(), batch_size=16, num_workers=2, prefetch_factor=4)


class Bandwidth(Made):
    """All workers share a store that gives one sample every 2.5 ms."""

    def __init__(self) -> None:
        self.lock = tempfile.NamedTemporaryFile(prefix="pipedoctor-test-")  # noqa: SIM115

    def __getitem__(self, index: int) -> Any:
        with open(self.lock.name, "rb") as file:  # noqa: PTH123
            fcntl.flock(file, fcntl.LOCK_EX)
            time.sleep(0.0025)
        return torch.zeros(3, 32, 32), index


def io_bandwidth() -> Any:
    return DataLoader(Bandwidth(), batch_size=16)


class Decode(Made):
    """Samples that are compressed, as files of images are."""

    def __init__(self) -> None:
        noise = np.random.default_rng(3).integers(0, 12, 600_000, dtype=np.uint8)
        self.packed = zlib.compress(noise.tobytes(), 6)

    def __getitem__(self, index: int) -> Any:
        return torch.frombuffer(bytearray(zlib.decompress(self.packed)[:3072]), dtype=torch.uint8)


def decode_cpu() -> Any:
    return DataLoader(Decode(), batch_size=16)


class Text(Made):
    """Samples that are JSON."""

    def __init__(self) -> None:
        self.text = json.dumps([{"x": i / 3, "y": [i, i + 1]} for i in range(2000)])

    def __getitem__(self, index: int) -> Any:
        return torch.tensor([row["x"] for row in json.loads(self.text)[:64]])


def decode_json() -> Any:
    return DataLoader(Text(), batch_size=16)


class Transform(Made):
    """An augmentation in plain Python."""

    def __getitem__(self, index: int) -> Any:
        burn(0.002)
        return torch.zeros(3, 64, 64), index


def transform_cpu() -> Any:
    return DataLoader(Transform(), batch_size=16)


class Numeric(Made):
    """A product of matrices for every sample, by numpy's own threads."""

    def __init__(self) -> None:
        self.matrix = np.random.default_rng(1).standard_normal((384, 384))

    def __getitem__(self, index: int) -> Any:
        return torch.tensor((self.matrix @ self.matrix)[:8, :8])


def blas_spin() -> Any:
    return DataLoader(Numeric(), batch_size=16)


class Small(Made):
    """Seven tiny tensors for each sample, which nobody collates."""

    def __getitem__(self, index: int) -> Any:
        return {f"k{j}": torch.ones(4) for j in range(7)}


def same(batch: Any) -> Any:
    """No collating."""
    return batch


def many_objects() -> Any:
    return DataLoader(Small(), batch_size=16, collate_fn=same)


def many_objects_workers() -> Any:
    return DataLoader(Small(), batch_size=16, collate_fn=same, num_workers=2)


class Large(Made):
    """Samples of 6 MB that cost nothing to make."""

    def __init__(self) -> None:
        self.frames = torch.zeros(8, 3, 512, 1024)

    def __getitem__(self, index: int) -> Any:
        return self.frames[index % 8]


def many_bytes() -> Any:
    return DataLoader(Large(), batch_size=8, num_workers=2)


class Stragglers(Made):
    """Three of a hundred samples take 60 ms, the others 1 ms."""

    def __getitem__(self, index: int) -> Any:
        burn(0.001)
        if chance(index) < 0.03:
            time.sleep(0.06)
        return torch.zeros(3, 64, 64), index


def stragglers() -> Any:
    return DataLoader(Stragglers(), batch_size=16, shuffle=True)


class Cheap(Made):
    """Samples that cost next to nothing."""

    def __getitem__(self, index: int) -> Any:
        return torch.zeros(3, 32, 32), index


def consumer() -> Any:
    return DataLoader(Cheap(), batch_size=16)


def consumer_workers() -> Any:
    return DataLoader(Cheap(), batch_size=16, num_workers=2)


def computing_step(batch: Any) -> None:
    """What a loop does that computes in the main process."""
    burn(0.025)


def quota() -> Any:
    """To be run where fewer CPUs may be used than there are."""
    return DataLoader(Transform(), batch_size=16, num_workers=4)


class Faulty(Made):
    """Every sample takes fresh pages from the kernel and gives them back."""

    def __getitem__(self, index: int) -> Any:
        with mmap.mmap(-1, 4 << 20) as area:
            for at in range(0, 4 << 20, 4096):
                area[at] = 1
        return torch.zeros(3, 32, 32), index


def allocator() -> Any:
    return DataLoader(Faulty(), batch_size=8)


class Few(Dataset[Any]):
    """An epoch of 64 samples."""

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> Any:
        time.sleep(0.002)
        return torch.zeros(3, 32, 32), index


def slow_start(worker: int) -> None:
    """What a worker does before its first sample."""
    time.sleep(0.4)


def startup() -> Any:
    return DataLoader(Few(), batch_size=8, num_workers=2, worker_init_fn=slow_start)


def startup_spawn() -> Any:
    return DataLoader(Few(), batch_size=8, num_workers=2, multiprocessing_context="spawn")


def plain() -> Any:
    """A dataset without a loader."""
    return Transform()


HERE = Path(__file__)
LABELS: dict[str, tuple[str, tuple[str, ...]]] = {
    "io_latency": ("storage-latency", ()),
    "io_latency_many": ("storage-latency", ("--step-seconds", "0.005")),
    "io_bandwidth": ("storage-bandwidth", ()),
    "decode_cpu": ("decode-cpu", ()),
    "decode_json": ("decode-cpu", ()),
    "transform_cpu": ("transform-cpu", ()),
    "blas_spin": ("blas-threads", ()),
    "many_objects": ("ipc-objects", ()),
    "many_objects_workers": ("ipc-objects", ()),
    "many_bytes": ("ipc-bytes", ()),
    "stragglers": ("stragglers", ("--step-seconds", "0.02")),
    "consumer": ("consumer", ("--step-seconds", "0.03")),
    "consumer_workers": ("consumer", ("--step-seconds", "0.03")),
    "transform_main": ("main-thread", ("--step", f"{HERE}:computing_step")),
    "quota": ("cpu-quota", ()),
    "allocator": ("allocator-faults", ()),
    "startup": ("worker-startup", ()),
    "startup_spawn": ("worker-startup", ()),
    "heavy_tail": ("storage-latency", ()),
    "one_lock": ("storage-bandwidth", ()),
    "collate_cpu": ("transform-cpu", ()),
    "stream_decode": ("decode-cpu", ()),
}
QUOTAS = {"quota": 1.0}
"""CPUs that a workload may use, where they are fewer than there are."""


class Tailed(Made):
    """Two milliseconds of waiting in the median, with a heavy tail; one of work."""

    def __getitem__(self, index: int) -> Any:
        time.sleep(0.002 * math.exp(0.9 * NormalDist().inv_cdf(5e-4 + chance(index))))
        burn(0.001)
        return torch.zeros(3, 32, 32), index


def heavy_tail() -> Any:
    return DataLoader(Tailed(), batch_size=16, shuffle=True)


class Locked(Bandwidth):
    """Most of the work is done under a lock that all workers share."""

    def __getitem__(self, index: int) -> Any:
        with open(self.lock.name, "rb") as file:  # noqa: PTH123
            fcntl.flock(file, fcntl.LOCK_EX)
            burn(0.0025)
        burn(0.0002)
        return torch.zeros(3, 32, 32), index


def one_lock() -> Any:
    return DataLoader(Locked(), batch_size=16)


class Ragged(Made):
    """Sequences of any length that cost nothing."""

    def __getitem__(self, index: int) -> Any:
        return list(range(50 + int(400 * chance(index))))


def padded(batch: Any) -> Any:
    """Sequences of one length, in plain Python."""
    burn(0.012)
    longest = max(map(len, batch))
    return torch.tensor([row + [0] * (longest - len(row)) for row in batch])


def collate_cpu() -> Any:
    return DataLoader(Ragged(), batch_size=32, collate_fn=padded)


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


def stream_decode() -> Any:
    return DataLoader(Shards(), batch_size=16)


def transform_main() -> Any:
    """Half a millisecond for a sample, and a step that computes."""

    class Light(Made):
        def __getitem__(self, index: int) -> Any:
            burn(0.0005)
            return torch.zeros(3, 32, 32), index

    return DataLoader(Light(), batch_size=16)
