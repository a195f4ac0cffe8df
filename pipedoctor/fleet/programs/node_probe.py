"""
Measure what a pipeline needs of a node; as a program, in the examined interpreter.

Prints one line of JSON. The same constants are measured everywhere, one thread each,
and of several rounds the best counts: load of others only ever makes them slower.
"""

import importlib
import io
import json
import mmap
import sys
import time
import zlib
from collections.abc import Callable
from typing import Any

TIME_SHARE = 1 / 3
"""Of the seconds that each of the three measurements has."""
_COPY_BYTES = 64 << 20
_PAGE_COUNT = 8192
_MIN_RUNS = 3
"""Rounds, however slow they are."""


def main(picture: str, seconds: float) -> dict[str, Any]:
    """Seconds for a picture, page faults and copied bytes per second."""
    with open(picture, "rb") as file:  # noqa: PTH123  (as few imports as can be)
        data = file.read()
    name, decode = load_decoder(data)
    each = seconds * TIME_SHARE
    page = mmap.PAGESIZE
    source, target = bytearray(_COPY_BYTES), bytearray(_COPY_BYTES)
    return {
        "decoder": name,
        "decode_seconds": measure_fastest(decode, each, time.thread_time),
        "page_faults_per_second": _PAGE_COUNT / measure_fastest(lambda: touch_pages(page), each),
        "memory_bytes_per_second": _COPY_BYTES
        / measure_fastest(lambda: copy_memory(source, target), each),
    }


def load_decoder(data: bytes) -> tuple[str, Callable[[], object]]:
    """Pillow where it is installed, else zlib, which is everywhere."""
    try:
        pillow: Any = importlib.import_module("PIL.Image")
        version = importlib.import_module("PIL").__version__
    except ImportError:
        packed = zlib.compress(data * 8)
        return "zlib", lambda: zlib.decompress(packed)

    def decode() -> object:
        return pillow.open(io.BytesIO(data)).convert("RGB")

    return f"pillow {version}", decode


def touch_pages(page: int) -> None:
    """Write to each of many pages that the process has never had."""
    with mmap.mmap(-1, _PAGE_COUNT * page) as area:
        for at in range(0, _PAGE_COUNT * page, page):
            area[at] = 1


def copy_memory(source: bytearray, target: bytearray) -> None:
    """Within memory, past all caches."""
    target[:] = source


def measure_fastest(
    work: Callable[[], object],
    seconds: float,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """The shortest of all rounds within these seconds, after one to warm up."""
    work()
    best = float("inf")
    until = time.perf_counter() + seconds
    rounds = 0
    while rounds < _MIN_RUNS or time.perf_counter() < until:
        began = clock()
        work()
        best = min(best, clock() - began)
        rounds += 1
    return max(best, 1e-9)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], float(sys.argv[2]))) + "\n")
