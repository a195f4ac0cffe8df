"""Say on stderr what takes so long; nothing where nobody watches."""

import sys
from collections.abc import Generator
from contextlib import contextmanager

from pipedoctor.cli.terminal.status_line import LINE_WIDTH, replace_line, shorten_line
from pipedoctor.runtime.probe import LaneProgressCallback

SILENT_SECONDS = 0.7
"""Seconds in which nobody wonders."""


@contextmanager
def show_progress() -> Generator[LaneProgressCallback, None, None]:
    """Hand out a watch that keeps one line up to date, and wipe it at the end."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    shown = False

    def watch(running: list[tuple[str, float]]) -> None:
        nonlocal shown
        slow = [(name, spent) for name, spent in running if spent >= SILENT_SECONDS]
        if slow or shown:
            replace_line(format_waiting(slow))
            shown = bool(slow)

    try:
        yield watch
    finally:
        if shown:
            replace_line("")


def format_waiting(slow: list[tuple[str, float]], width: int = LINE_WIDTH) -> str:
    """``waiting for gpu (2.1 s), data /mnt/x (1.0 s)``, cut to the width."""
    from pipedoctor.report.sentences import clean_text

    if not slow:
        return ""
    parts = (f"{clean_text(name)} ({spent:.1f} s)" for name, spent in slow)
    return shorten_line(f"waiting for {', '.join(parts)}", width)
