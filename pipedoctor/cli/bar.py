"""A bar of the time budget on stderr; nothing where nobody watches."""

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Generator

Tell = Callable[[str], None]
CELLS = 20
WIDTH = 78
EVERY = 0.5
"""Seconds after which it is drawn again, so that the remaining time moves."""


@contextlib.contextmanager
def bar(budget: float) -> Generator[Tell, None, None]:
    """
    Hand out what to call with each new thing that is done; wipe it at the end.

    To say nothing wipes it as well: something else is to be printed.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    shown = _Bar(budget)
    drawing = threading.Thread(target=shown.keep, daemon=True)
    drawing.start()
    try:
        yield shown.tell
    finally:
        shown.end()
        drawing.join()


class _Bar:
    """What is done and how much time is left, drawn by whoever has the lock."""

    def __init__(self, budget: float) -> None:
        self._began, self._budget = time.monotonic(), budget
        self._doing = ""
        self._paused: float | None = None
        self._lock, self._over = threading.Lock(), threading.Event()

    def tell(self, doing: str) -> None:
        """Show this from now on; time in which nothing is done is nobody's."""
        with self._lock:
            now = time.monotonic()
            if doing and self._paused is not None:
                self._began += now - self._paused
            self._paused = None if doing else self._paused or now
            self._doing = doing
            self._draw()

    def keep(self) -> None:
        """Draw again and again, until it is over or the terminal is gone."""
        with contextlib.suppress(OSError):
            while not self._over.wait(EVERY):
                with self._lock:
                    if self._doing:
                        self._draw()

    def end(self) -> None:
        """Wipe it for good."""
        self._over.set()
        self.tell("")

    def _draw(self) -> None:
        spent = time.monotonic() - self._began
        _show(line(spent, self._budget, self._doing) if self._doing else "")


def line(spent: float, budget: float, doing: str) -> str:
    """``[########------------] 18 s left, decode: PIL``, cut to the width."""
    from pipedoctor.report.words import clean

    done = min(CELLS, int(CELLS * spent / budget))
    left = max(0.0, budget - spent)
    drawn = "#" * done + "-" * (CELLS - done)
    text = f"[{drawn}] {left:.0f} s left, {clean(doing)}"
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."


def _show(text: str) -> None:
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()
