"""Measure until the machine is quiet or time is up: repeat, mark, refuse."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pipedoctor.bench.window import Meter
from pipedoctor.facts import Window

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Taken(Generic[T]):
    """What was measured, in which window, and how often it had to be repeated."""

    value: T
    window: Window
    tries: int

    @property
    def mark(self) -> str:
        """What makes it doubtful; empty: nothing."""
        return self.window.disturbed

    @property
    def refused(self) -> str:
        """Why it must not be used; empty: it may."""
        return self.window.refused


def steady(
    measure: Callable[[], T],
    *,
    meter: Meter | None = None,
    tries: int = 3,
    until: float = float("inf"),
) -> Taken[T]:
    """
    Measure, and again while others disturb it; give the least disturbed.

    `until` is a time of `time.monotonic`: no repetition begins that would end
    after it. The first try is always made.
    """
    meter = meter or Meter()
    best: tuple[T, Window] | None = None
    done = 0
    while done < max(1, tries):
        meter.start()
        value = measure()
        window = meter.stop()
        done += 1
        if best is None or window.lost_cores < best[1].lost_cores:
            best = value, window
        if not window.disturbed or time.monotonic() + window.seconds > until:
            break
    assert best is not None  # noqa: S101  (one try is always made)
    return Taken(value=best[0], window=best[1], tries=done)


def worst(windows: Iterable[Window]) -> str:
    """
    The disturbance that took the most CPUs of windows that count; empty: none did.

    Those that are refused do not count.
    """
    marked = [w for w in windows if w.disturbed and not w.refused]
    return max(marked, key=lambda w: w.lost_cores).disturbed if marked else ""
