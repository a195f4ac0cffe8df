"""Data sets whose workers get larger and larger."""

from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

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
