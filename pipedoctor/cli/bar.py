"""A bar of the time budget on stderr; nothing where nobody watches."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

Tell = Callable[[str], None]
CELLS = 20
WIDTH = 78


@contextmanager
def bar(budget: float) -> Generator[Tell, None, None]:
    """
    Hand out what to call with each new thing that is done; wipe it at the end.

    To say nothing wipes it as well: something else is to be printed.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    began = time.monotonic()

    def tell(doing: str) -> None:
        _show(line(time.monotonic() - began, budget, doing) if doing else "")

    try:
        yield tell
    finally:
        _show("")


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
