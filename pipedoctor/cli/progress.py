"""Say on stderr what takes so long; nothing where nobody watches."""

import sys
from collections.abc import Generator
from contextlib import contextmanager

from pipedoctor.collect.probe import Watch

PATIENCE = 0.7
"""Seconds in which nobody wonders."""


@contextmanager
def progress() -> Generator[Watch, None, None]:
    """Hand out a watch that keeps one line up to date, and wipe it at the end."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    shown = False

    def watch(running: list[tuple[str, float]]) -> None:
        nonlocal shown
        slow = [(name, spent) for name, spent in running if spent >= PATIENCE]
        if slow or shown:
            _show(line(slow))
            shown = bool(slow)

    try:
        yield watch
    finally:
        if shown:
            _show("")


def _show(text: str) -> None:
    """Put this in place of the line that is there."""
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()


def line(slow: list[tuple[str, float]], width: int = 78) -> str:
    """``waiting for gpu (2.1 s), data /mnt/x (1.0 s)``, cut to the width."""
    from pipedoctor.report.words import clean

    if not slow:
        return ""
    parts = (f"{clean(name)} ({spent:.1f} s)" for name, spent in slow)
    text = f"waiting for {', '.join(parts)}"
    return text if len(text) <= width else f"{text[: width - 3]}..."
