"""
What must be so before the program is imported.

Ctrl-C ends it without a traceback, and garbage is seldom collected, never at the end,
when the system takes everything back: a quarter of a short command went into that.
"""

import atexit
import gc
import signal

TYPE_CHECKING = False  # typing comes later: it takes time in which Ctrl-C may come
if TYPE_CHECKING:
    from typing import Any

SPARING = 50_000
"""Objects between two collections of garbage."""
_USUAL = signal.getsignal(signal.SIGINT)


def _handle(handler: "Any") -> None:
    """Leave the signal alone where somebody else has it, or in another thread."""
    if _USUAL is not signal.default_int_handler:
        return
    try:
        signal.signal(signal.SIGINT, handler)
    except ValueError:
        return


def over() -> None:
    """From now on Ctrl-C is an exception again, which commands clean up after."""
    _handle(_USUAL)


_handle(signal.SIG_DFL)
gc.set_threshold(SPARING)
atexit.register(gc.freeze)
