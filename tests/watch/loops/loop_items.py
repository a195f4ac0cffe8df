"""What the loops of loop.py do for an item and a batch; the line at fault is marked."""

# What torch gives has no types.
# pyright: reportUnknownMemberType=false

import io
import json
import multiprocessing
import os
import socket
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset

torch.set_num_threads(1)  # threads that are there before a fork hang in workers
RANDOM = np.random.default_rng(0)
DIRECT = 4096


def photo(side: int) -> bytes:
    """A JPEG with some detail."""
    small = RANDOM.integers(0, 255, (side // 8, side // 8, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(small).resize((side, side)).save(file, "jpeg", quality=92)
    return file.getvalue()


PHOTO, LARGE_PHOTO = photo(640), photo(1600)
TEXT = json.dumps([{"id": n, "tags": ["a", "b"], "x": n / 7} for n in range(6000)])
PACKED = zlib.compress(RANDOM.integers(0, 4, 3_000_000, dtype=np.uint8).tobytes(), 6)
LOCK = multiprocessing.get_context("fork").Lock()
FOLDER = os.environ.get("LOOPS_FOLDER", tempfile.gettempdir())


def tiny() -> torch.Tensor:
    return torch.zeros(8)


class Items(Dataset[Any]):
    """A dataset of one function."""

    def __init__(self, make: Callable[[int], Any], length: int = 10**6) -> None:
        self.make, self.length = make, length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Any:
        return self.make(index)


# --- items that take their time


def slow_answer(_: int) -> Any:
    time.sleep(0.006)  # hot: sleep-latency no-workers-latency many-workers-latency
    return tiny()


def large_file() -> str:
    path = Path(FOLDER) / "loops-data"
    if not path.exists():
        part = path.with_suffix(f".{os.getpid()}")  # other workers want it whole
        with part.open("wb") as file:
            file.write(os.urandom(1 << 20) * 64)
            os.fsync(file.fileno())  # pages that are not on the disk yet stay in the cache
        part.replace(path)
    return str(path)


def direct(size: int) -> Callable[[int], Any]:
    import mmap

    buffer = mmap.mmap(-1, size)
    handle: list[int] = []

    def read(index: int) -> Any:
        if not handle:
            handle.append(os.open(large_file(), os.O_RDONLY | os.O_DIRECT))
        place = index * 7919 * size % (64 << 20)
        os.preadv(handle[0], [buffer], place - place % size)  # hot: direct-large
        return tiny()

    return read


def small_direct(index: int) -> Any:
    time.sleep(0.0005)
    return DIRECT_SMALL(index)


DIRECT_LARGE, DIRECT_SMALL = direct(8 << 20), direct(4096)


def ask_server(_: int) -> Any:
    with socket.create_connection(("127.0.0.1", int(os.environ["LOOP_PORT"]))) as one:
        one.recv(16)  # hot: socket-latency
    return tiny()


def locked(_: int) -> Any:
    with LOCK:  # hot: one-reader
        time.sleep(0.004)
    return tiny()


def locked_flock(_: int) -> Any:
    import fcntl

    with open(large_file(), "rb") as file:  # noqa: PTH123
        fcntl.flock(file, fcntl.LOCK_EX)  # hot: file-lock
        time.sleep(0.004)
    return tiny()


def decode(_: int) -> Any:
    image = Image.open(io.BytesIO(PHOTO))
    image.load()  # hot: jpeg no-workers-jpeg
    return tiny()


def unpack(_: int) -> Any:
    zlib.decompress(PACKED)  # hot: inflate
    return tiny()


def parse(_: int) -> Any:
    json.loads(TEXT)  # hot: json
    return tiny()


def normalize(index: int) -> Any:
    values = np.full((3, 300, 300), index % 7, np.float32)
    for _ in range(8):
        values = np.sqrt(values * values + 1.5)  # hot: numpy-transform
    return torch.from_numpy(values[:, :8, 0].copy())


def python_loop(index: int) -> Any:
    total = 0
    for k in range(90_000):
        total += k ^ index  # hot: python-transform
    return tiny()


def resized(_: int) -> Any:
    image = SOURCE.resize((700, 700), Image.Resampling.LANCZOS)  # hot: resize
    return torch.tensor(image.getpixel((0, 0)))


SOURCE = Image.open(io.BytesIO(LARGE_PHOTO)).convert("RGB")
MATRIX = RANDOM.random((700, 700))


def product(_: int) -> Any:
    return torch.tensor((MATRIX @ MATRIX)[0, 0])  # hot: blas-product


def solved(_: int) -> Any:
    return torch.tensor(np.linalg.inv(MATRIX)[0, 0])  # hot: blas-inverse


def pieces(_: int) -> Any:
    return [torch.zeros(4) for _ in range(12)]


def records(_: int) -> Any:
    return {str(k): torch.zeros(3) for k in range(16)}


def large(_: int) -> Any:
    return WHOLE


WHOLE = torch.zeros(3, 512, 512)
ARRAY = np.zeros((3, 400, 400), np.float64)


def array(_: int) -> Any:
    return ARRAY


def tail_of_sleep(index: int) -> Any:
    if index % 37 == 5:
        time.sleep(0.15)  # hot: rare-slow-sample
    else:
        time.sleep(0.0005)
    return tiny()


def tail_of_work(index: int) -> Any:
    if index % 41 == 5:
        end = time.thread_time() + 0.15
        while time.thread_time() < end:
            sum(range(400_000))  # hot: rare-large-sample
    return tiny()


def fresh_memory(index: int) -> Any:
    pages = b"x" * (32 << 20)  # hot: fresh-pages
    return torch.tensor(pages[index % 99])


def fresh_tensor(index: int) -> Any:
    pages = torch.empty(32 << 20, dtype=torch.uint8)
    pages[::4096] = index % 251  # hot: fresh-tensor
    return tiny()


def quick(_: int) -> Any:
    return tiny()


# --- collating


def first_of(batch: list[Any]) -> Any:
    return batch[0]


def as_it_is(batch: list[Any]) -> Any:
    return batch


def slow_collate(batch: list[Any]) -> Any:
    total = 0
    for k in range(400_000):
        total += k  # hot: slow-collate
    return torch.stack(batch)
