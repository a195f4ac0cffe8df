"""Wait for children of `os.fork`, but never without an end."""

import contextlib
import os
import signal
import time

REAP_TIMEOUT = 1.0
"""Seconds for a killed child to end: a call of a driver, a dead mount keep it for ever."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.0005, 0.01
"""Seconds between two looks; most children end at once."""
_LONGEST_SECONDS = 1e6
"""What every clock of a system can be set to."""


def wait_for_exit(pid: int, seconds: float) -> int | None:
    """
    Wait for a child at most so long; its status as of `os.waitpid`, or None: it still runs.

    The status is 0 where somebody else has reaped it.
    """
    end = time.monotonic() + seconds
    pause = _FIRST_PAUSE
    while True:
        try:
            gone, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            return 0
        if gone:
            return status
        if time.monotonic() > end:
            return None
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def kill_and_reap(pid: int) -> int | None:
    """Kill a child and wait a second for it; its status, or None: not even that ends it."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    return wait_for_exit(pid, REAP_TIMEOUT)


def end_as_orphan(seconds: float) -> None:
    """
    Let the kernel end this process after `seconds`, if nobody has by then.

    For a child that may compute without an end, and whose parent may be killed.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, min(seconds, _LONGEST_SECONDS))
