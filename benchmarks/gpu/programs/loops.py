"""
Training loops whose bottleneck is known: ``loops.py NAME DEVICE SECONDS FOLDER``.

Says its PID when it is warm. After SECONDS it prints when each step ended and, where there
is a GPU, which share of a second its kernels ran by torch.profiler (CUPTI). The line at
fault is marked with the name of the loop.
"""

import io
import json
import mmap
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset

NAME, DEVICE, SECONDS, FOLDER = sys.argv[1], sys.argv[2], float(sys.argv[3]), Path(sys.argv[4])
GPU = DEVICE == "cuda"
READS = 48
"""Small reads without the page cache for each item of the storage-bound loop."""


def make_photo() -> bytes:
    """A large JPEG."""
    small = np.random.default_rng(0).integers(0, 255, (100, 100, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(small).resize((1200, 1200)).save(file, "jpeg", quality=92)
    return file.getvalue()


PHOTO = make_photo()


class Items(Dataset[Any]):
    """Items of one function."""

    def __init__(self, make: Callable[[int], torch.Tensor]) -> None:
        self.make = make

    def __len__(self) -> int:
        return 10**6

    def __getitem__(self, index: int) -> torch.Tensor:
        return self.make(index)


def make_zeros(_: int) -> torch.Tensor:
    """Nothing to do."""
    return torch.zeros(1024)


def decode(_: int) -> torch.Tensor:
    """A large JPEG."""
    image = Image.open(io.BytesIO(PHOTO))
    image.load()  # hot: decode-bound
    return torch.zeros(1024)


BUFFER = mmap.mmap(-1, 4096)
HANDLES: dict[int, int] = {}


def read_directly(index: int) -> torch.Tensor:
    """Pages of a large file, straight from the device."""
    handle = HANDLES.get(os.getpid())
    if handle is None:
        flags = os.O_RDONLY | os.O_DIRECT
        handle = HANDLES[os.getpid()] = os.open(FOLDER / "loops-data", flags)
    for number in range(READS):
        place = (index * 7919 + number * 104_729) % (256 << 8) * 4096
        os.preadv(handle, [BUFFER], place)  # hot: storage-bound
    return torch.zeros(1024)


def make_file() -> None:
    """256 MiB that no page cache is asked for."""
    with (FOLDER / "loops-data").open("wb") as file:
        block = os.urandom(1 << 20)
        for _ in range(256):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())


def load(make: Callable[[int], torch.Tensor], size: int, workers: int) -> Iterator[Any]:
    """Batches without an end."""
    loader = DataLoader(
        Items(make), batch_size=size, num_workers=workers, pin_memory=GPU, persistent_workers=True
    )
    while True:
        yield from loader


EDGE = 4096 if GPU else 768
MATRIX = torch.randn(EDGE, EDGE, device=DEVICE)
LARGE = torch.zeros((256 << 20) // 4 if GPU else 1 << 22)
SMALL = nn.Sequential(*(nn.Linear(64, 64) for _ in range(60))).to(DEVICE)
VECTOR = torch.zeros(8, 64, device=DEVICE)


def compute(times: int) -> None:
    """Matrix products that fill the GPU."""
    for _ in range(times):
        torch.mm(MATRIX, MATRIX)


def wait() -> None:
    """Until the GPU has done what it was told."""
    if GPU:
        torch.cuda.synchronize()


def train_large(_: Any) -> None:
    """A step that the GPU takes its time for."""
    compute(12 if GPU else 2)
    wait()  # hot: gpu-bound


def train_short(_: Any) -> None:
    """A step that takes nearly no time."""
    compute(1)


def copy_much(_: Any) -> None:
    """A pageable copy that is much longer than the computing after it."""
    LARGE.to(DEVICE, copy=True)  # hot: h2d-bound
    compute(1)


def ask_often(_: Any) -> None:
    """The value of every small result is waited for."""
    total = 0.0
    for number in range(200):
        total += float((VECTOR + number).sum().item())  # hot: sync-in-loop


def launch_often(_: Any) -> None:
    """Layers too small for the GPU: launching them takes the time."""
    for _ in range(10):
        SMALL(VECTOR)  # hot: small-kernels


LOOPS: dict[str, tuple[Callable[[int], torch.Tensor], int, Callable[[Any], None]]] = {
    "gpu-bound": (make_zeros, 8, train_large),
    "decode-bound": (decode, 8, train_short),
    "h2d-bound": (make_zeros, 8, copy_much),
    "sync-in-loop": (make_zeros, 8, ask_often),
    "small-kernels": (make_zeros, 8, launch_often),
    "storage-bound": (read_directly, 8, train_short),
}
"""Name -> how an item is made, how many are a batch, the step."""


def main() -> None:
    """Warm up, train, profile, tell."""
    make, size, train = LOOPS[NAME]
    if make is read_directly:
        make_file()
    batches = load(make, size, 2)
    for _ in range(3):
        train(next(batches))
    wait()
    print(json.dumps({"pid": os.getpid()}), flush=True)
    until, ends = time.time() + SECONDS, list[float]()
    while time.time() < until:
        train(next(batches))
        ends.append(time.time())
    wait()
    share = profile_gpu(batches, train) if GPU else None
    print(json.dumps({"ends": ends, "gpu_share": share}), flush=True)
    os._exit(0)  # workers go with their parent


def profile_gpu(batches: Iterator[Any], train: Callable[[Any], None]) -> float:
    """Share of some steps' time in which a kernel ran on the GPU, as GPM counts: no copies."""
    from torch.profiler import ProfilerActivity, profile

    from pipedoctor.tune.target.gpu_state import sum_kernel_seconds

    with profile(activities=[ProfilerActivity.CUDA]) as found:
        wait()
        began = time.perf_counter()
        until = began + 1.0
        while time.perf_counter() < until:
            train(next(batches))
        wait()
        seconds = time.perf_counter() - began
    return sum_kernel_seconds(found) / seconds


if __name__ == "__main__":
    main()
