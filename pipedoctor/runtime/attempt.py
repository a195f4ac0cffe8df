"""The one place where any exception at all is caught: around other people's code."""

import traceback
from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class CallResult(msgspec.Struct, Generic[T], frozen=True):
    """The value that the call returned."""

    value: T


class Crash(msgspec.Struct, frozen=True):
    """The exception that the call raised, in one line and in full."""

    reason: str
    trace: str
    error: BaseException


def attempt(call: Callable[[], T], *, interrupts: bool = False) -> CallResult[T] | Crash:
    """
    Run a check, a collector, a plug-in or a user's dataset, which may fail in any way.

    Ctrl-C still ends the program; everything else, even ``SystemExit``, is a `Crash`.
    `interrupts`: nobody can press Ctrl-C here, so KeyboardInterrupt is one as well.
    """
    try:
        return CallResult(call())
    except BaseException as error:  # code of others: the one place that takes whatever it raises
        if isinstance(error, KeyboardInterrupt) and not interrupts:
            raise
        lines = traceback.format_exception_only(error)
        reason = " ".join("".join(lines).split())
        trace = "".join(traceback.format_exception(error))[-8000:]
        return Crash(reason[:500], trace, error)
