"""A bar of the time budget on stderr; nothing where nobody watches."""

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Generator

from pipedoctor.cli.terminal.status_line import replace_line, shorten_line

ProgressCallback = Callable[[str], None]
BAR_CELLS = 20
REDRAW_SECONDS = 0.5
"""Seconds after which it is drawn again, so that the remaining time moves."""


@contextlib.contextmanager
def show_bar(budget: float) -> Generator[ProgressCallback, None, None]:
    """
    Yield the callback to call with each new activity; wipe the bar at the end.

    To say nothing wipes it as well: something else is to be printed.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    bar = _ProgressBar(budget)
    drawing = threading.Thread(target=bar.redraw, daemon=True)
    drawing.start()
    try:
        yield bar.update
    finally:
        bar.close()
        drawing.join()


class _ProgressBar:
    """What is done and how much time is left, drawn by whoever has the lock."""

    def __init__(self, budget: float) -> None:
        self._began, self._budget = time.monotonic(), budget
        self._doing = ""
        self._paused: float | None = None
        self._lock, self._over = threading.Lock(), threading.Event()

    def update(self, doing: str) -> None:
        """Show this from now on; time in which nothing is done is nobody's."""
        with self._lock:
            now = time.monotonic()
            if doing and self._paused is not None:
                self._began += now - self._paused
            self._paused = None if doing else self._paused or now
            self._doing = doing
            self._draw()

    def redraw(self) -> None:
        """Draw again and again, until it is over or the terminal is gone."""
        with contextlib.suppress(OSError):
            while not self._over.wait(REDRAW_SECONDS):
                with self._lock:
                    if self._doing:
                        self._draw()

    def close(self) -> None:
        """Wipe it for good."""
        self._over.set()
        self.update("")

    def _draw(self) -> None:
        spent = time.monotonic() - self._began
        replace_line(format_bar(spent, self._budget, self._doing) if self._doing else "")


def format_bar(seconds: float, budget: float, doing: str) -> str:
    """``[########------------] 18 s left, decode: PIL``, cut to the width."""
    from pipedoctor.report.sentences import clean_text

    done = min(BAR_CELLS, int(BAR_CELLS * seconds / budget))
    left = max(0.0, budget - seconds)
    drawn = "#" * done + "-" * (BAR_CELLS - done)
    return shorten_line(f"[{drawn}] {left:.0f} s left, {clean_text(doing)}")
