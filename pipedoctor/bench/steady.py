"""Measure until the machine is quiet or time is up: repeat, mark, refuse."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pipedoctor.bench.window import Meter
from pipedoctor.facts import Window

T = TypeVar("T")
TRIES = 3
"""How often something is measured at most while others disturb it."""


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
    tries: int = TRIES,
    until: float = float("inf"),
) -> Taken[T]:
    """
    Measure, and again while others disturb it; give the least disturbed.

    `until` is a time of `time.monotonic`: no repetition begins that would end
    after it. The first try is always made.
    """
    watch = meter or Meter()

    def windowed() -> tuple[T, Window]:
        watch.start()
        value = measure()
        return value, watch.stop()

    return quietest(windowed, tries=tries, until=until)


def quietest(
    measure: Callable[[], tuple[T, Window]],
    *,
    tries: int = TRIES,
    until: float = float("inf"),
) -> Taken[T]:
    """The same of what gives its window itself, measured in a process of its own."""
    best: tuple[T, Window] | None = None
    done = 0
    while done < max(1, tries):
        began = time.monotonic()
        value, window = measure()
        done += 1
        clean = not window.disturbed
        if best is None or clean or window.lost_cores < best[1].lost_cores:
            best = value, window
        now = time.monotonic()
        if clean or now + max(window.seconds, now - began) > until:
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
