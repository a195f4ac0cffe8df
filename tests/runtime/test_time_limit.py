"""Work that takes too long is interrupted, also within one call of the standard library."""

import contextlib
import math
import re
import signal
import time

import pytest

from pipedoctor.runtime.time_limit import TimeLimitError, interrupt_after


def test_one_long_search_is_interrupted() -> None:
    before = signal.getsignal(signal.SIGALRM)
    began = time.process_time()

    with pytest.raises(TimeLimitError), interrupt_after(0.1, TimeLimitError()):
        re.search(r"(?:a+)+b", "a" * 40)

    assert time.process_time() - began < 5
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


@pytest.mark.parametrize("seconds", [60.0, math.inf])
def test_work_in_time_is_left_alone(seconds: float) -> None:
    with interrupt_after(seconds, TimeLimitError()):
        time.sleep(0.01)

    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_time_that_is_over_interrupts_at_once() -> None:
    for seconds in (-1, 0, 1e-6):
        with pytest.raises(TimeLimitError), interrupt_after(seconds, TimeLimitError()):
            time.sleep(60)

        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def sleep_on() -> None:
    """Catch whatever comes, as a check of others might."""
    with contextlib.suppress(BaseException):
        time.sleep(60)
    time.sleep(60)


def test_work_that_catches_everything_is_interrupted_again() -> None:
    with pytest.raises(TimeLimitError), interrupt_after(0.05, TimeLimitError()):
        sleep_on()
