"""
Interrupt work of this process that takes too long: a text of others decides how long it is.

What may hang in the kernel runs in a child instead (`lanes`): this ends only what computes.
"""

import contextlib
import math
import signal
import threading
from collections.abc import Generator
from types import FrameType

_LEAST_PAUSE = 0.2
"""Seconds between two alarms at least: work that catches the first is interrupted again."""


class TimeLimitError(BaseException):
    """The time for some work is over; no ``except Exception`` on its way stops this."""


@contextlib.contextmanager
def interrupt_after(seconds: float, error: BaseException) -> Generator[None, None, None]:
    """
    Raise the error in the work below when its time is over; also within one long search.

    Only in the main thread, and where the system has such alarms; elsewhere the work goes on
    to its end. Limits do not stand in each other.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer") or seconds == math.inf:
        yield
        return

    if seconds <= 0:
        raise error
    working = True

    def raise_error(_number: int, _frame: FrameType | None) -> None:
        if working:
            raise error

    before = signal.signal(signal.SIGALRM, raise_error)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, max(seconds, _LEAST_PAUSE))
        try:
            yield
        finally:
            working = False
    finally:  # also where an alarm comes just before the line above
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
