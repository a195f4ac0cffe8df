"""
Data sets whose workers get larger and larger.

`python growing.py KIND` says how large two are at the end of an epoch, in bytes.
"""

import sys
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

from pipedoctor.tune.target.memory import read_private_bytes

_SAMPLES = 60_000


class Remembers(Dataset[Any]):
    """Every worker keeps 4 KiB of each sample that it has read."""

    def __init__(self) -> None:
        self.kept: list[bytearray] = []

    def __len__(self) -> int:
        return _SAMPLES

    def __getitem__(self, index: int) -> Any:
        self.kept.append(bytearray(4096))
        return torch.zeros(8)


class CountsReferences(Dataset[Any]):
    """Python objects of the main process: whoever looks at them writes to them."""

    def __init__(self) -> None:
        self.rows = [[str(row * 10 + k) for k in range(20)] for row in range(_SAMPLES)]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> Any:
        return torch.tensor([float(len(text)) for text in self.rows[index]])


def remembers() -> Any:
    return DataLoader(Remembers(), batch_size=64, shuffle=True)


def counts_references() -> Any:
    return DataLoader(CountsReferences(), batch_size=64, shuffle=True)


def lasting(made: Any) -> int:
    """Private bytes of two workers that have read everything."""
    loader = DataLoader(
        made.dataset, made.batch_size, shuffle=True, num_workers=2, prefetch_factor=2
    )
    batches: Any = iter(loader)
    for _ in range(len(loader) - 5):
        next(batches)
    return sum(read_private_bytes(worker.pid for worker in batches._workers))  # noqa: SLF001


if __name__ == "__main__":
    made = {"remembers": remembers, "counts_references": counts_references}
    sys.stdout.write(f"{lasting(made[sys.argv[1]]())}\n")
