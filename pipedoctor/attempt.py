"""The one place where any exception at all is caught: around other people's code."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Done(Generic[T]):
    """The call came back."""

    value: T


@dataclass(frozen=True)
class Crash:
    """The call did not: what it raised, in one line and in full."""

    reason: str
    trace: str


def attempt(call: Callable[[], T]) -> Done[T] | Crash:
    """
    Run a check, a collector or the import of a plug-in that may fail in any way.

    Ctrl-C still ends the program; everything else, even ``SystemExit``, is a `Crash`.
    """
    try:
        return Done(call())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  (see the module's first line)
        lines = traceback.format_exception_only(error)
        reason = " ".join("".join(lines).split())
        return Crash(reason[:500], "".join(traceback.format_exception(error))[-8000:])
