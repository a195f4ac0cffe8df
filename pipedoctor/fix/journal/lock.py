"""One fix at a time: a lock that dies with its holder."""

import contextlib
import fcntl
import os
import time
from collections.abc import Generator

from pipedoctor.fix.plan.plan import FixRefusedError
from pipedoctor.runtime.verified_folder import PRIVATE_FILE, PUBLIC_FILE, VerifiedFolder

LOCK_NAME = "lock"
LOCK_TIMEOUT = 5.0
"""Seconds to wait for another fix to end."""


@contextlib.contextmanager
def hold_lock(folder: VerifiedFolder, timeout: float = LOCK_TIMEOUT) -> Generator[int, None, None]:
    """
    Hold the lock of a journal; Refused, naming the holder, when it is not to be had.

    Yields the descriptor: a command that inherits it keeps the lock until it ends,
    even when we are killed meanwhile.
    """
    descriptor = folder.open_lock(LOCK_NAME, PUBLIC_FILE if folder.is_public else PRIVATE_FILE)
    try:
        _acquire_lock(descriptor, time.monotonic() + timeout)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
        yield descriptor
    finally:
        os.close(descriptor)


def _acquire_lock(descriptor: int, until: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() < until:
                time.sleep(0.05)
                continue
        else:
            return
        holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
        message = (
            f"another fix is running (process {holder or 'unknown'}); nothing was "
            "changed, try again when it has ended"
        )
        raise FixRefusedError(message)


def is_locked(folder: VerifiedFolder) -> bool:
    """Is somebody at work on this journal right now?"""
    try:
        descriptor = folder.open_lock(LOCK_NAME, create=False)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
