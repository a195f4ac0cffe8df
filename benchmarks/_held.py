"""What a loader really holds while its queues are full, by the kernel's own books."""

import gc
import os
import time
from pathlib import Path
from typing import Any

import psutil
from _loop import Loop, Setting, forked, plain_loader

SHM = "/dev/shm"
_STILL, _PATIENCE = 0.25, 6.0
"""Seconds without a change that mean a full queue, and how long one may take."""


def held(loop: Loop, setting: Setting) -> dict[str, int]:
    """
    Bytes in /dev/shm, private bytes of the workers, descriptors of the main process.

    In a process of its own, with every queue full and two batches in hand (one, for
    the descriptors): the peak of an ordinary loop.
    """
    found: dict[str, int] = forked(lambda: _held(loop, setting))
    return found


def _held(loop: Loop, setting: Setting) -> dict[str, int]:
    made = loop.make()
    shared, files = _shm(), _descriptors()
    batches = iter(plain_loader(made, setting))
    kept = [next(batches), next(batches)]
    for _ in range(setting["num_workers"] * (setting["prefetch_factor"] or 0)):
        kept = [kept[-1], next(batches)]
    _settle()
    found = {"shm_bytes": _shm() - shared, "memory_bytes": sum(_private())}
    del kept[0]
    gc.collect()
    return {**found, "descriptors": _descriptors() - files}


def _settle() -> None:
    """Wait until the workers have nothing left to do."""
    end, before, since = time.monotonic() + _PATIENCE, -1, time.monotonic()
    while time.monotonic() < min(end, since + _STILL):
        now = _shm()
        if now != before:
            before, since = now, time.monotonic()
        time.sleep(0.02)


def _shm() -> int:
    """Bytes in use in /dev/shm."""
    state = os.statvfs(SHM)
    return (state.f_blocks - state.f_bfree) * state.f_frsize


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _private() -> list[int]:
    """Private bytes of each worker, without what it has in /dev/shm."""
    return [_of(process.pid) for process in psutil.Process().children()]


def _of(pid: int) -> int:
    rows: dict[str, Any] = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()[1:]:
        name, size, *_ = line.split()
        rows[name.rstrip(":")] = int(size) * 1024
    return int(rows["Private_Clean"] + rows["Private_Dirty"] - rows["Pss_Shmem"])
