"""Measure until the machine is quiet or time is up: repeat, mark, refuse."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pipedoctor.bench.window import CpuMeter
from pipedoctor.facts import Window

T = TypeVar("T")
MAX_TRIES = 3
"""How often something is measured at most while others disturb it."""


@dataclass(frozen=True, kw_only=True)
class QuietMeasurement(Generic[T]):
    """What was measured, in which window, and how often it had to be repeated."""

    value: T
    window: Window
    tries: int

    @property
    def disturbance(self) -> str:
        """What makes it doubtful; empty: nothing."""
        return self.window.disturbance

    @property
    def refusal(self) -> str:
        """Why it must not be used; empty: it may."""
        return self.window.rejection_reason


def measure_quietly(
    measure: Callable[[], T],
    *,
    meter: CpuMeter | None = None,
    tries: int = MAX_TRIES,
    until: float = float("inf"),
) -> QuietMeasurement[T]:
    """
    Measure, and again while others disturb it; give the least disturbed.

    `until` is a time of `time.monotonic`: no repetition begins that would end
    after it. The first try is always made.
    """
    watch = meter or CpuMeter()

    def measure_window() -> tuple[T, Window]:
        watch.start()
        value = measure()
        return value, watch.stop()

    return keep_quietest(measure_window, tries=tries, until=until)


def keep_quietest(
    measure: Callable[[], tuple[T, Window]],
    *,
    tries: int = MAX_TRIES,
    until: float = float("inf"),
) -> QuietMeasurement[T]:
    """The same for a `measure` that gives its window itself, from another process."""
    best: tuple[T, Window] | None = None
    done = 0
    while done < max(1, tries):
        began = time.monotonic()
        value, window = measure()
        done += 1
        clean = not window.disturbance
        if best is None or clean or window.lost_cores < best[1].lost_cores:
            best = value, window
        now = time.monotonic()
        if clean or now + max(window.seconds, now - began) > until:
            break
    assert best is not None  # noqa: S101  (one try is always made)
    return QuietMeasurement(value=best[0], window=best[1], tries=done)


def find_worst_disturbance(windows: Iterable[Window]) -> str:
    """
    The disturbance that took the most CPUs of windows that count; empty: none did.

    Those that are refused do not count.
    """
    marked = [w for w in windows if w.disturbance and not w.rejection_reason]
    return max(marked, key=lambda w: w.lost_cores).disturbance if marked else ""
