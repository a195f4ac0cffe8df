"""Where a command's output goes, and in which dress."""

import os
import sys

import click

from pipedoctor.collect import files
from pipedoctor.facts import Unreadable

_USUAL = 100
_ABSURD = 5
"""Digits of a width that nobody means."""
STDOUT = "-"


def to_stdout(output: str | None) -> bool:
    """Without ``-o``, and with ``-o -``."""
    return output in {None, STDOUT}


def on_terminal(output: str | None) -> bool:
    """Will a person see it as it is written?"""
    return to_stdout(output) and sys.stdout.isatty()


def colours(output: str | None, *, no_color: bool) -> bool:
    """Only on a terminal that can, and where nobody asked for none (NO_COLOR)."""
    asked = no_color or bool(os.environ.get("NO_COLOR"))
    return on_terminal(output) and not asked and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Columns of the terminal, or COLUMNS; 100 where there is neither."""
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdecimal() and wanted.isascii() and len(wanted) < _ABSURD:
        return int(wanted)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or _USUAL
    except (OSError, ValueError):
        return _USUAL


def ascii_only(output: str | None) -> bool:
    """Can the terminal, or its locale, show no more than ASCII?"""
    if not to_stdout(output):
        return False
    try:
        "·└→".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def write(text: str | bytes, output: str | None) -> None:
    """
    Write to a file, atomically, or to stdout; there `str` goes in its encoding.

    What that encoding lacks is replaced; a reader that went away is no error.
    """
    if output is not None and not to_stdout(output):
        data = text if isinstance(text, bytes) else text.encode()
        try:
            files.store(output, data)
        except Unreadable as error:
            message = f"{output}: cannot be written: {error}"
            raise click.UsageError(message) from None
        return
    try:
        _to_stdout(text)
    except BrokenPipeError:
        let_go()
    except OSError as error:
        raise click.UsageError(unwritten(files.why(error))) from None


def unwritten(why: str) -> str:
    """Let go of a stdout that cannot be written; what to say of it."""
    let_go()
    return f"stdout: cannot be written: {why}"


def let_go() -> None:
    """Give the descriptor of a closed pipe something else to flush into."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())


def _to_stdout(text: str | bytes) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    data = text if isinstance(text, bytes) else text.encode(encoding, "replace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.flush()
