"""Ctrl-C while the program is still being imported ends it without a traceback."""

import signal
from typing import Any

_USUAL = signal.getsignal(signal.SIGINT)


def _handle(handler: Any) -> None:
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
