"""
How often to look, so that watching takes no more CPU than it may.

What a look costs depends on the machine, on how busy it is, and on the depth of stacks;
how many there are depends on the job. Both are measured, and the pauses follow.
"""

import math
import time
from collections import deque
from collections.abc import Callable

INITIAL_SECONDS = 3.0
"""Seconds in which the first verdict is prepared."""
INITIAL_SHARE, STEADY_SHARE, STACKLESS_SHARE = 0.015, 0.0038, 0.0003
"""Of one CPU: at first and then; and where no stacks are read."""
STACKLESS_PART = 0.4
"""Of the share of what is read now and then, where no stacks are: 1 ms a second in all."""
PROGRAM_SHARE = 0.05
"""Where a program reads the stacks: each time it starts, which takes 10 ms."""
_REPAY_SECONDS = 1.5
"""In which what was spent too much is saved again."""
_MIN_PART = 0.5
"""Of the budget, that is left for looks however much was spent."""
_USUAL_COST = 0.0003
"""Seconds of CPU for a turn, before one was measured."""
_OTHER_PART = 0.3
"""Of the budget, that looks may lose to what the thread does besides, such as lines."""
_HASTE = 4.0
"""Times its share of a CPU that a read may take when it is needed soon."""


class CpuBudget:
    """
    Counts the CPU seconds of the thread that it is called from.

    What came before the first call of `compute_pause` is not counted.
    """

    def __init__(self, cpu_clock: Callable[[], float] = time.thread_time) -> None:
        self._clock = cpu_clock
        self._last: float | None = None
        self._debt = 0.0
        self._costs = deque([_USUAL_COST] * 3, maxlen=7)
        """Of the last turns; one that costs much once, such as the first, slows no others."""

    def resume(self, share: float, elapsed: float) -> None:
        """
        Looks go on; `elapsed`: seconds since the last call.

        What the thread did meanwhile is counted, but a long line does not stop all looks.
        """
        now = self._clock()
        if self._last is not None:
            self._debt += min(now - self._last, _OTHER_PART * share * elapsed)
        self._last = now

    def compute_pause(self, share: float, elapsed: float) -> float:
        """
        Seconds to sleep after a turn, to take this share of a CPU.

        `elapsed`: seconds since the last call.
        """
        now = self._clock()
        spent = 0.0 if self._last is None else max(0.0, now - self._last)
        self._last = now
        self._costs.append(spent)
        self._debt = max(0.0, self._debt + spent - share * elapsed)
        left = max(_MIN_PART * share, share - self._debt / _REPAY_SECONDS)
        usual = sorted(self._costs)[:-1]  # without the one that cost most
        return sum(usual) / len(usual) / left


class InitialPhase:
    """
    The seconds of many looks, for the first verdict.

    They wait while a job imports; one that gets ready for longer than half of them has them
    again when somebody is seen to make its batches.
    """

    def __init__(self) -> None:
        self._began_at: float | None = None
        self._has_loaded = False

    def observe(self, now: float, *, sampled: bool, loaded: bool) -> None:
        """A process was seen: did one of its samples count, are batches made where we look?"""
        if sampled and self._began_at is None:
            self._began_at = now
        if loaded and not self._has_loaded:
            self._has_loaded = True
            if not self.is_running(now + INITIAL_SECONDS / 2):
                self._began_at = now

    def is_running(self, now: float) -> bool:
        """Is this the time of many looks?"""
        return self._began_at is not None and now - self._began_at < INITIAL_SECONDS


class PeriodicRead:
    """Something that is read now and then: seldom where it costs much."""

    def __init__(
        self,
        interval: float,
        share: float,
        cpu_clock: Callable[[], float] = time.thread_time,
        *,
        first: float = -math.inf,
    ) -> None:
        """
        Every so many seconds, unless that takes more than this share of a CPU.

        `first`: not before this time.
        """
        self._interval, self._share, self._clock = interval, share, cpu_clock
        self._due_at = first
        self._cost = 0.0

    def is_due(self, now: float) -> bool:
        """Is it to be read now?"""
        return now >= self._due_at

    def schedule_soon(self, now: float, soonest: float) -> None:
        """Read it soon: so many seconds from now, or as much later as its cost demands."""
        wait = max(soonest, self._cost / (_HASTE * self._share))
        self._due_at = min(self._due_at, now + wait)

    def schedule_now(self) -> None:
        """Read it with the next look, whatever it costs."""
        self._due_at = -math.inf

    def run(self, now: float, take_sample: Callable[[], object]) -> None:
        """Read it, and be due again an interval later."""
        began = self._clock()
        take_sample()
        spent = self._clock() - began
        self._cost = spent if not self._cost else 0.5 * (self._cost + spent)
        self._due_at = now + max(self._interval, self._cost / self._share)
