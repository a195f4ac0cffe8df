"""
Photographs and a training step: the target of `tune` and `whatif`, and a grid by hand.

``resnet_job.py ROUNDS SECONDS WORKERS:PREFETCH...`` measures settings in turn as a training
script would: epochs over a DataLoader, the step with every batch, images a second.
"""

import importlib
import itertools
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset

FOLDER = Path(os.environ["GPU_RUN_PHOTOS"])
DEVICE = os.environ["GPU_RUN_DEVICE"]
BATCH = int(os.environ.get("GPU_RUN_BATCH", "64"))
SIDE = 224


class Photos(Dataset[Any]):
    """Decode, crop at random, flip, normalize."""

    def __init__(self) -> None:
        self.files = sorted(FOLDER.glob("*.jpg"))

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> Any:
        with Image.open(self.files[index]) as photo:
            image = photo.convert("RGB")
        left, top = (int(torch.randint(0, side - SIDE, ())) for side in image.size)
        image = image.crop((left, top, left + SIDE, top + SIDE))
        pixels = torch.from_numpy(np.asarray(image).copy()).permute(2, 0, 1)
        return pixels.float().div(255).sub(0.45).div(0.225), index % 1000


def make_loader() -> DataLoader[Any]:
    """What `tune` begins with."""
    return DataLoader(
        Photos(), batch_size=BATCH, shuffle=True, num_workers=2, pin_memory=DEVICE == "cuda"
    )


def make_model() -> nn.Module:
    """ResNet-18 where torchvision is; else a few convolutions."""
    try:
        models: Any = importlib.import_module("torchvision.models")
    except ImportError:
        layers = [nn.Conv2d(3, 16, 7, 4), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
        return nn.Sequential(*layers, nn.Linear(16, 1000))
    network: nn.Module = models.resnet18()
    return network


class Trainer:
    """The model is made with the first batch, in the process that trains."""

    def __init__(self) -> None:
        self.model: nn.Module | None = None

    def __call__(self, batch: Any) -> None:
        """Forward, backward, update; waits for the end, as logging the loss does."""
        if self.model is None:
            self.model = make_model().to(DEVICE)
            self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)
        images, labels = (part.to(DEVICE, non_blocking=True) for part in batch)
        loss: Any = nn.functional.cross_entropy(self.model(images), labels)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        loss.item()


step = Trainer()


def measure_setting(workers: int, prefetch: int, seconds: float) -> float:
    """Images a second, once the queue is full, or as full as it gets in that time."""
    loader = DataLoader(
        Photos(),
        batch_size=BATCH,
        shuffle=True,
        num_workers=workers,
        prefetch_factor=prefetch if workers else None,
        pin_memory=DEVICE == "cuda",
        persistent_workers=workers > 0,
    )
    batches = itertools.chain.from_iterable(itertools.repeat(loader))
    step(next(batches))
    began = time.perf_counter()
    for _ in range(3 * workers * prefetch + 2):
        step(next(batches))
        if time.perf_counter() - began > seconds:
            break
    began, count = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        step(next(batches))
        count += BATCH
    return count / (time.perf_counter() - began)


def main() -> None:
    """Every setting that is named, a line each, round by round."""
    rounds, seconds, *settings = sys.argv[1:]
    for setting in settings * int(rounds):
        workers, _, prefetch = setting.partition(":")
        rate = measure_setting(int(workers), int(prefetch or 2), float(seconds))
        print(json.dumps({"setting": setting, "rate": rate}), flush=True)


if __name__ == "__main__":
    main()
