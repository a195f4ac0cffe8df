"""Three lines under a traceback, for who asked for them; never in anybody's way."""

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Generator
from functools import partial
from io import BytesIO
from types import TracebackType
from typing import Any

from pipedoctor.attempt import Crash, attempt

DEADLINE = 2.0
"""Seconds after which no more is said."""
_QUIET = (KeyboardInterrupt, SystemExit, GeneratorExit)
_LONGEST = 200
_SPARE = 8
"""Descriptors that are kept for the hour in which a job has none left."""
_kept: list[int] = []

Hook = Callable[[type[BaseException], BaseException, TracebackType | None], Any]


def install() -> None:
    """
    Print three lines under the traceback of an exception that nobody caught.

    First the traceback as always, then the lines, on stderr. In IPython and Jupyter
    under every traceback that is shown there. A second call changes nothing.
    """
    _keep()
    shell = _ipython()
    if shell is not None:
        into_ipython(shell)
    elif not getattr(sys.excepthook, "_pipedoctor", False):
        sys.excepthook = _around(sys.excepthook)


def said_of(error: BaseException) -> str:
    """The three lines, or nothing where there is nothing to say."""
    if isinstance(error, _QUIET):
        return ""
    with _descriptors():
        done = attempt(lambda: _lines(error), interrupts=True)
    return "" if isinstance(done, Crash) else done.value


def text_of(error: BaseException) -> str:
    """The traceback as a log would hold it."""
    return "".join(traceback.format_exception(error))


def _lines(error: BaseException) -> str:
    from pipedoctor.explanation.explain import explain  # noqa: PLC0415  (at the end)
    from pipedoctor.explanation.machine import look  # noqa: PLC0415
    from pipedoctor.explanation.text import first_line  # noqa: PLC0415

    log = BytesIO(text_of(error).encode(errors="replace"))
    said = explain(log, source="exception", facts=partial(look, deadline=DEADLINE))
    if not said.causes:
        return ""
    first = said.causes[0]
    todo = first_line(said).removeprefix(first.name).removeprefix(": ")
    rows = (
        f"pipedoctor: {first.name} ({first.confidence}, here {first.here})",
        f"  {first.summary}"[:_LONGEST],
        f"  {todo or f'pipedoctor explain {first.name}'}",
    )
    return "".join(f"{row}\n" for row in rows)


def _keep() -> None:
    with contextlib.suppress(OSError):
        while len(_kept) < _SPARE:
            _kept.append(os.open(os.devnull, os.O_RDONLY))


@contextlib.contextmanager
def _descriptors() -> Generator[None, None, None]:
    """Give back what was kept: an exception may be about descriptors."""
    while _kept:
        number = _kept.pop()
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(number), os.stat(os.devnull)):  # noqa: PTH116
                os.close(number)  # still ours: nobody closed it and took its number
    yield
    _keep()


def _around(before: Hook) -> Hook:
    def excepthook(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        before(kind, error, trace)
        _print(said_of(error))

    excepthook._pipedoctor = True  # type: ignore[attr-defined]  # noqa: SLF001
    return excepthook


def _print(text: str) -> None:
    """Write to stderr, if there still is one."""
    attempt(lambda: text and sys.stderr.write(text) and sys.stderr.flush())


def _ipython() -> Any:
    """The shell that runs us, if IPython does."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None else None


def into_ipython(shell: Any) -> None:
    """Print the lines under every traceback that this shell shows; once is enough."""
    if getattr(shell, "_pipedoctor", False):
        return
    before = shell.showtraceback

    def showtraceback(*args: Any, **named: Any) -> None:
        before(*args, **named)
        error = sys.exc_info()[1] or getattr(sys, "last_value", None)
        if isinstance(error, BaseException):
            _print(said_of(error))

    shell.showtraceback = showtraceback
    shell._pipedoctor = True  # noqa: SLF001  (our own mark)
