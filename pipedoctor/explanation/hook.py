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

from pipedoctor.runtime.attempt import Crash, attempt

DEADLINE = 2.0
"""Seconds after which no more is said."""
_IGNORED_ERRORS = (KeyboardInterrupt, SystemExit, GeneratorExit)
_MAX_SUMMARY = 200
_SPARE_DESCRIPTORS = 8
"""Descriptors that are kept for the hour in which a job has none left."""
_reserved: list[int] = []

ExceptHook = Callable[[type[BaseException], BaseException, TracebackType | None], Any]


def install() -> None:
    """
    Print three lines under the traceback of an exception that nobody caught.

    First the traceback as always, then the lines, on stderr. In IPython and Jupyter
    under every traceback that is shown there. A second call changes nothing.
    """
    _reserve_descriptors()
    shell = _find_ipython()
    if shell is not None:
        install_ipython(shell)
    elif not getattr(sys.excepthook, "_pipedoctor", False):
        sys.excepthook = _wrap_hook(sys.excepthook)


def summarize_error(error: BaseException) -> str:
    """The three lines, or nothing where there is nothing to say."""
    if isinstance(error, _IGNORED_ERRORS):
        return ""
    with _free_descriptors():
        done = attempt(lambda: _build_summary(error), interrupts=True)
    return "" if isinstance(done, Crash) else done.value


def format_traceback(error: BaseException) -> str:
    """The traceback as a log would hold it."""
    return "".join(traceback.format_exception(error))


def _build_summary(error: BaseException) -> str:
    from pipedoctor.explanation.explain import explain  # noqa: PLC0415  (at the end)
    from pipedoctor.explanation.local_facts import collect_sections  # noqa: PLC0415
    from pipedoctor.explanation.text import write_first_line  # noqa: PLC0415

    log = BytesIO(format_traceback(error).encode(errors="replace"))
    explanation = explain(
        log, source="exception", facts=partial(collect_sections, deadline=DEADLINE)
    )
    if not explanation.causes:
        return ""
    first = explanation.causes[0]
    todo = write_first_line(explanation).removeprefix(first.name).removeprefix(": ")
    rows = (
        f"pipedoctor: {first.name} ({first.confidence}, here {first.here})",
        f"  {first.summary}"[:_MAX_SUMMARY],
        f"  {todo or f'pipedoctor explain {first.name}'}",
    )
    return "".join(f"{row}\n" for row in rows)


def _reserve_descriptors() -> None:
    with contextlib.suppress(OSError):
        while len(_reserved) < _SPARE_DESCRIPTORS:
            _reserved.append(os.open(os.devnull, os.O_RDONLY))


@contextlib.contextmanager
def _free_descriptors() -> Generator[None, None, None]:
    """Close the reserved descriptors: the exception may be about descriptors."""
    while _reserved:
        number = _reserved.pop()
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(number), os.stat(os.devnull)):  # noqa: PTH116
                os.close(number)  # still ours: nobody closed it and took its number
    yield
    _reserve_descriptors()


def _wrap_hook(previous: ExceptHook) -> ExceptHook:
    def excepthook(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        previous(kind, error, trace)
        _write_stderr(summarize_error(error))

    excepthook._pipedoctor = True  # type: ignore[attr-defined]  # noqa: SLF001
    return excepthook


def _write_stderr(text: str) -> None:
    """Write to stderr, if there still is one."""
    attempt(lambda: text and sys.stderr.write(text) and sys.stderr.flush())


def _find_ipython() -> Any:
    """The shell that runs us, if IPython does."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None else None


def install_ipython(shell: Any) -> None:
    """Print the lines under every traceback that this shell shows; once is enough."""
    if getattr(shell, "_pipedoctor", False):
        return
    before = shell.showtraceback

    def showtraceback(*args: Any, **named: Any) -> None:
        before(*args, **named)
        error = sys.exc_info()[1] or getattr(sys, "last_value", None)
        if isinstance(error, BaseException):
            _write_stderr(summarize_error(error))

    shell.showtraceback = showtraceback
    shell._pipedoctor = True  # noqa: SLF001  (our own mark)
