"""How many reports are read, on stderr; nothing where nobody watches."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

MIN_SECONDS = 0.7
UPDATE_SECONDS = 0.2
"""Seconds between two updates of the line."""


@contextmanager
def show_progress(noun: str = "reports") -> Generator[Callable[[int, int], None], None, None]:
    """Hand out what to call with each one that is done; wipe the line at the end."""
    if not sys.stderr.isatty():
        yield lambda _done, _all: None
        return
    began = time.monotonic()
    last = began

    def update(count: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - began >= MIN_SECONDS and now - last >= UPDATE_SECONDS:
            last = now
            sys.stderr.write(f"\r\x1b[K{count:,} of {total:,} {noun}")
            sys.stderr.flush()

    try:
        yield update
    finally:
        if last > began:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
