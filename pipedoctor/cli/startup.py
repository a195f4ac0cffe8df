"""
What must be so before the program is imported.

Ctrl-C ends it without a traceback, and garbage is seldom collected, never at the end,
when the system takes everything back: a quarter of a short command went into that.
"""

import atexit
import gc
import signal
import sys
import time

TYPE_CHECKING = False  # typing comes later: it takes time in which Ctrl-C may come
if TYPE_CHECKING:
    from typing import Any

_LOADED = time.monotonic()
_LONGEST_START = 5.0
"""Seconds; who calls a command later than this after loading has done something else."""
GC_THRESHOLD = 50_000
"""Objects between two collections of garbage."""
_DEFAULT_HANDLER = signal.getsignal(signal.SIGINT)


def _set_interrupt_handler(handler: "Any") -> None:
    """Leave the signal alone where somebody else has it, or in another thread."""
    if _DEFAULT_HANDLER is not signal.default_int_handler:
        return
    try:
        signal.signal(signal.SIGINT, handler)
    except ValueError:
        return


def restore_interrupts() -> None:
    """From now on Ctrl-C is an exception again, which commands clean up after."""
    _set_interrupt_handler(_DEFAULT_HANDLER)


def import_msgspec() -> None:
    """
    Import msgspec without typing_extensions, which it takes its types from where it can.

    From Python 3.11 on typing has all that it needs, and this would take as long.
    """
    modules: dict[str, Any] = sys.modules
    name = "typing_extensions"
    if sys.version_info < (3, 11) or name in modules:
        return
    modules[name] = None  # as if it were not installed
    try:
        __import__("msgspec")
    finally:
        del modules[name]


def find_start() -> float:
    """When the command was started: imports count for its deadline, on the monotonic clock."""
    now = time.monotonic()
    return _LOADED if now - _LOADED < _LONGEST_START else now


_set_interrupt_handler(signal.SIG_DFL)
gc.set_threshold(GC_THRESHOLD)
atexit.register(gc.freeze)
