"""
Loaders whose bottleneck is known, since it was put in.

`LABELS` gives for each callable the cause, and the options of `tune` that go with it.
"""

import time
from pathlib import Path
from typing import Any

import torch
from labelled_datasets import (
    Bandwidth,
    Cheap,
    Decode,
    Faulty,
    Large,
    Latency,
    Locked,
    Made,
    Numeric,
    Ragged,
    Shards,
    Small,
    Stragglers,
    Tailed,
    Text,
    Transform,
    burn,
)
from torch.utils.data import DataLoader, Dataset


def io_latency() -> Any:
    return DataLoader(Latency(), batch_size=16)


def io_latency_many() -> Any:
    return DataLoader(Latency(), batch_size=16, num_workers=2, prefetch_factor=4)


def io_bandwidth() -> Any:
    return DataLoader(Bandwidth(), batch_size=16)


def decode_cpu() -> Any:
    return DataLoader(Decode(), batch_size=16)


def decode_json() -> Any:
    return DataLoader(Text(), batch_size=16)


def transform_cpu() -> Any:
    return DataLoader(Transform(), batch_size=16)


def blas_spin() -> Any:
    return DataLoader(Numeric(), batch_size=16)


def same(batch: Any) -> Any:
    """No collating."""
    return batch


def many_objects() -> Any:
    return DataLoader(Small(), batch_size=16, collate_fn=same)


def many_objects_workers() -> Any:
    return DataLoader(Small(), batch_size=16, collate_fn=same, num_workers=2)


def many_bytes() -> Any:
    return DataLoader(Large(), batch_size=8, num_workers=2)


def stragglers() -> Any:
    return DataLoader(Stragglers(), batch_size=16, shuffle=True)


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


def heavy_tail() -> Any:
    return DataLoader(Tailed(), batch_size=16, shuffle=True)


def one_lock() -> Any:
    return DataLoader(Locked(), batch_size=16)


def padded(batch: Any) -> Any:
    """Sequences of one length, in plain Python."""
    burn(0.012)
    longest = max(map(len, batch))
    return torch.tensor([row + [0] * (longest - len(row)) for row in batch])


def collate_cpu() -> Any:
    return DataLoader(Ragged(), batch_size=32, collate_fn=padded)


def stream_decode() -> Any:
    return DataLoader(Shards(), batch_size=16)


def transform_main() -> Any:
    """Half a millisecond for a sample, and a step that computes."""

    class Light(Made):
        def __getitem__(self, index: int) -> Any:
            burn(0.0005)
            return torch.zeros(3, 32, 32), index

    return DataLoader(Light(), batch_size=16)
