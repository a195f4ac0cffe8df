"""
Copies timed by CUDA events and nothing of ours: ``events.py DEVICE SIZE...``.

Prints a line of JSON for each size: kind of copy -> bytes a second, and the seconds until
the call came back. A CPU is timed by its own clock.
"""

import json
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import torch

REPEATS, WARMUP = 30, 5


def time_on_gpu(copy: Callable[[], object]) -> tuple[float, float]:
    """Seconds between two events around the copy, and until the call came back."""
    make: Any = torch.cuda.Event
    begin, end = make(enable_timing=True), make(enable_timing=True)
    torch.cuda.synchronize()
    began = time.perf_counter()
    begin.record()
    copy()
    end.record()
    returned = time.perf_counter() - began
    end.synchronize()
    return begin.elapsed_time(end) / 1e3, returned


def time_on_cpu(copy: Callable[[], object]) -> tuple[float, float]:
    """The same where there is no GPU."""
    began = time.perf_counter()
    copy()
    seconds = time.perf_counter() - began
    return seconds, seconds


def measure_size(device: str, size: int) -> dict[str, list[float]]:
    """Rate and seconds to the return of each kind of copy."""
    gpu = device == "cuda"
    pageable = torch.ones(size // 4)
    pinned = pageable.pin_memory() if gpu else pageable.clone()
    there = torch.empty_like(pageable, device=device)
    kinds: dict[str, Callable[[], object]] = {
        "pageable": lambda: there.copy_(pageable),
        "pageable, non_blocking": lambda: there.copy_(pageable, non_blocking=True),
        "pinned": lambda: there.copy_(pinned),
        "pinned, non_blocking": lambda: there.copy_(pinned, non_blocking=True),
    }
    found: dict[str, list[float]] = {}
    for name, copy in kinds.items():
        timed = [time_on_gpu(copy) if gpu else time_on_cpu(copy) for _ in range(REPEATS)][WARMUP:]
        seconds = median(one for one, _ in timed)
        found[name] = [size / seconds, median(back for _, back in timed)]
    return found


def main() -> None:
    """Every size that is named."""
    device, *sizes = sys.argv[1:]
    for size in map(int, sizes):
        answer = {"size": size, "copies": measure_size(device, size)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
