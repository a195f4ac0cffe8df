"""One fix at a time: a lock that dies with its holder."""

import contextlib
import fcntl
import os
import time
from collections.abc import Generator
from pathlib import Path

from pipedoctor.fix.plan import Refused

PATIENCE = 5.0
"""Seconds to wait for another fix to end."""


@contextlib.contextmanager
def locked(folder: Path, patience: float = PATIENCE) -> Generator[int, None, None]:
    """
    Hold the lock of a journal; Refused, naming the holder, when it is not to be had.

    Yields the descriptor: a command that inherits it keeps the lock until it ends,
    even when we are killed meanwhile.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    descriptor = os.open(folder / "lock", flags, 0o644)
    try:
        _acquire(descriptor, time.monotonic() + patience)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
        yield descriptor
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, until: float) -> None:
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
            f"another fix is under way (process {holder or 'unknown'}); nothing was "
            "changed, try again when it has ended"
        )
        raise Refused(message)


def busy(folder: Path) -> bool:
    """Is somebody at work on this journal right now?"""
    try:
        descriptor = os.open(folder / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
