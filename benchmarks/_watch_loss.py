"""
What throughput a job loses while it is watched, in pairs of windows that take turns.

The loader of the job keeps two workers busy, so that no CPU is left over: the worst case.
A window with a watch is all of it: its start, and its report at the end, by the program
that is installed.
"""

import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from _environ import bytecode_environ

LOSS_HEAD = "Throughput lost while it is watched"
MAX_LOSS = 0.01
WINDOW_SECONDS = 9.0
"""That a watch lasts; with its start and its end about a second more."""
_REST_SECONDS = 0.5
_WARM_SECONDS = 3.0
_RESAMPLES, _PERCENT = 2000, (2.5, 97.5)
_COUNTER = """
import os, sys
sys.path.insert(0, {folder!r})
import loop, loop_items
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
loop.torch.set_num_threads(1)
parent = os.getppid()
for number, _ in enumerate(loop.loader(loop_items.normalize, 2)):
    os.pwrite(file, number.to_bytes(8, "little"), 0)
    if os.getppid() != parent:
        sys.exit("the benchmark is gone")
"""


class Loss(NamedTuple):
    """Shares of the throughput that are lost: the median, and where it lies surely."""

    median: float
    low: float
    high: float
    """Of 95 % of the medians of pairs that are drawn again and again."""
    pairs: int
    cpu: float
    """CPU seconds that a watch takes, its start and its report included."""

    def describe(self) -> str:
        """What was measured, and whether the goal is met."""
        met = "met" if self.median <= MAX_LOSS else "**missed**"
        return (
            f"{LOSS_HEAD}: {self.median:+.1%}, the median of"
            f" {self.pairs} pairs that take turns (95 % interval of the median"
            f" {self.low:+.1%} to {self.high:+.1%}); each watch lasts {WINDOW_SECONDS:.0f} s"
            f" and takes {self.cpu:.2f} s of CPU, its start and its report included."
            f" At most 1 %: {met}."
        )


def measure_loss(folder: Path, loops: Path, pairs: int) -> Loss:
    """Watch and let alone in turn; `loops`: the folder of the labelled loops."""
    file = folder / "count"
    source = _COUNTER.format(folder=str(loops))
    losses: list[float] = []
    cpu: list[float] = []
    with subprocess.Popen(
        [sys.executable, "-c", source, file], stderr=subprocess.DEVNULL
    ) as job:  # its workers say that they have lost it
        while not file.exists() or not file.stat().st_size:
            time.sleep(0.2)
        time.sleep(_WARM_SECONDS)
        _watch(folder, job.pid, _WARM_SECONDS)  # compiles the program, which is not measured
        for number in range(pairs):
            rates: dict[bool, float] = {}
            for watched in (True, False) if number % 2 else (False, True):
                before = os.times()
                rates[watched] = _measure_rate(file, job.pid if watched else None)
                after = os.times()
                if watched:
                    cpu.append(after[2] + after[3] - before[2] - before[3])
                time.sleep(_REST_SECONDS)
            losses.append(1 - rates[True] / max(rates[False], 1e-9))
            sys.stderr.write(f"pair {number + 1} of {pairs}: {losses[-1]:+.1%}\n")
        job.kill()
    low, high = _bound_median(losses)
    return Loss(statistics.median(losses), low, high, len(losses), statistics.median(cpu))


def _measure_rate(file: Path, watched: int | None) -> float:
    """Batches a second, while it is watched once, or for as long."""
    began, count = time.perf_counter(), _read_count(file)
    if watched is None:
        time.sleep(WINDOW_SECONDS + 1)
    else:
        _watch(file.parent, watched, WINDOW_SECONDS)
    return (_read_count(file) - count) / (time.perf_counter() - began)


def _watch(folder: Path, pid: int, seconds: float) -> None:
    """By a program whose bytecode is kept, as where it is installed."""
    command = (sys.executable, "-m", "pipedoctor", "watch", str(pid), "-q")
    subprocess.run(
        (*command, "--seconds", str(seconds)),
        stdout=subprocess.DEVNULL,
        check=True,
        cwd=folder,
        env=bytecode_environ(),
    )


def _read_count(file: Path) -> int:
    return int.from_bytes(file.read_bytes()[:8], "little")


def _bound_median(values: list[float]) -> tuple[float, float]:
    """Between which the median lies, by drawing from the pairs again and again."""
    draw = random.Random(0)
    medians = sorted(
        statistics.median(draw.choices(values, k=len(values))) for _ in range(_RESAMPLES)
    )
    low, high = (medians[round(p / 100 * (_RESAMPLES - 1))] for p in _PERCENT)
    return low, high
