"""What a loader really holds while its queues are full, by the kernel's own books."""

import os
import statistics
import time
from pathlib import Path
from typing import Any

import psutil
from _loop import LoaderArguments, WorkloadLoop, make_endless_loader, run_in_fork

SHM = "/dev/shm"
_STEPS = 100
"""Batches of a loop in which descriptors are counted."""
_SELDOM = 8
"""Steps from one look at the memory of workers to the next."""
_STILL, _PATIENCE = 0.25, 6.0
"""Seconds without a change that mean a full queue, and how long one may take."""


def measure_resources(loop: WorkloadLoop, setting: LoaderArguments) -> dict[str, float]:
    """
    Measure bytes in /dev/shm, memory of the workers and open descriptors.

    In a process of its own; those in /dev/shm with every queue full and two batches
    in hand, the peak of an ordinary loop. The others are read at steps of such a
    loop: the median, and the most descriptors.
    """
    found: dict[str, float] = run_in_fork(lambda: _measure_in_process(loop, setting))
    return found


def _measure_in_process(loop: WorkloadLoop, setting: LoaderArguments) -> dict[str, float]:
    made = loop.make()
    shared, files = _used_shm_bytes(), _count_descriptors()
    begin = time.perf_counter()
    batches = iter(make_endless_loader(made, setting))
    kept = [next(batches)]
    first = time.perf_counter() - begin
    queued = setting["num_workers"] * (setting["prefetch_factor"] or 0)
    counts: list[int] = []
    sizes: list[int] = []
    for number in range(max(4 * queued, _STEPS)):
        kept = [next(batches)]
        loop.step(kept[0])
        if number > queued:
            counts.append(_count_descriptors() - files)
            sizes += [sum(_worker_private_bytes())] if number % _SELDOM == 0 else []
        if number > 2 * queued and time.perf_counter() - begin > _PATIENCE:
            break
    kept.append(next(batches))
    _wait_until_idle()
    return {
        "shm_bytes": _used_shm_bytes() - shared,
        "memory_bytes": statistics.median_low(sizes or [sum(_worker_private_bytes())]),
        "descriptors": statistics.median_low(counts),
        "most_descriptors": max(counts),
        "first_batch_seconds": first,
    }


def _wait_until_idle() -> None:
    """Wait until the workers have nothing left to do."""
    end, before, since = time.monotonic() + _PATIENCE, -1, time.monotonic()
    while time.monotonic() < min(end, since + _STILL):
        now = _used_shm_bytes()
        if now != before:
            before, since = now, time.monotonic()
        time.sleep(0.02)


def _used_shm_bytes() -> int:
    """Bytes in use in /dev/shm."""
    state = os.statvfs(SHM)
    return (state.f_blocks - state.f_bfree) * state.f_frsize


def _count_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _worker_private_bytes() -> list[int]:
    """Private bytes of each worker, without what it has in /dev/shm."""
    return [_read_private_bytes(process.pid) for process in psutil.Process().children()]


def _read_private_bytes(pid: int) -> int:
    rows: dict[str, Any] = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()[1:]:
        name, size, *_ = line.split()
        rows[name.rstrip(":")] = int(size) * 1024
    return int(rows["Private_Clean"] + rows["Private_Dirty"] - rows["Pss_Shmem"])
