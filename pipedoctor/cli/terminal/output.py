"""Where a command's output goes, and in which dress."""

import contextlib
import os
import sys

import click

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import files

_DEFAULT_WIDTH = 100
_MAX_WIDTH_DIGITS = 5
"""Digits of a width that nobody means."""
STDOUT = "-"


def is_stdout(output: str | None) -> bool:
    """Without ``-o``, and with ``-o -``."""
    return output in {None, STDOUT}


def is_terminal(output: str | None) -> bool:
    """Will a person see it as it is written?"""
    return is_stdout(output) and sys.stdout.isatty()


def has_colors(output: str | None, *, no_color: bool) -> bool:
    """Only on a terminal that can, and where nobody asked for none (NO_COLOR)."""
    asked = no_color or bool(os.environ.get("NO_COLOR"))
    return is_terminal(output) and not asked and os.environ.get("TERM") != "dumb"


def get_width() -> int:
    """Columns of the terminal, or COLUMNS; 100 where there is neither."""
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdecimal() and wanted.isascii() and len(wanted) < _MAX_WIDTH_DIGITS:
        return int(wanted)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or _DEFAULT_WIDTH
    except (OSError, ValueError):
        return _DEFAULT_WIDTH


def is_ascii_only(output: str | None) -> bool:
    """Can the terminal, or its locale, show no more than ASCII?"""
    if not is_stdout(output):
        return False
    try:
        "·└→".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def write_output(text: str | bytes, output: str | None) -> None:
    """
    Write to a file, atomically, or to stdout; there `str` goes in its encoding.

    What that encoding lacks is replaced; a reader that went away is no error.
    """
    if output is not None and not is_stdout(output):
        data = text if isinstance(text, bytes) else text.encode()
        try:
            files.store_file(output, data)
        except UnreadableError as error:
            message = f"{output}: cannot be written: {error}"
            raise click.UsageError(message) from None
        return
    try:
        _write_stdout(text)
    except BrokenPipeError:
        redirect_stdout_to_null()
    except OSError as error:
        raise click.UsageError(abandon_stdout(files.describe_error(error))) from None


def abandon_stdout(why: str) -> str:
    """
    Redirect a stdout that cannot be written to /dev/null.

    Returns the message to report.
    """
    redirect_stdout_to_null()
    return f"stdout: cannot be written: {why}"


def redirect_stdout_to_null() -> None:
    """Give the descriptor of a closed pipe something else to flush into."""
    with contextlib.suppress(OSError):  # a bare root has no /dev/null
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())


def _write_stdout(text: str | bytes) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    data = text if isinstance(text, bytes) else text.encode(encoding, "replace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.flush()
