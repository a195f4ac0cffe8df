"""
Standard streams that are always there, and a stderr that never fails.

A program that was started without stdin, stdout or stderr gets empty ones. What cannot be
written to a full or closed stderr is lost, and changes neither exit code nor report.
"""

import io
import os
import sys
from typing import Any


class _LossyFile(io.FileIO):
    """Takes everything, also where the system does not."""

    def write(self, data: Any, /) -> int:
        """Write, or pretend to: nobody can be told that stderr is full."""
        try:
            return super().write(data) or 0
        except OSError:
            return len(data)


def tolerate_full_stderr() -> None:
    """Let errors of the real stderr pass; one that a caller has put there stays."""
    stream = sys.__stderr__
    if os.name != "posix" or stream is None or sys.stderr is not stream:
        return
    raw = _LossyFile(stream.fileno(), "w", closefd=False)
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=True,
    )


def open_missing() -> None:
    """
    Open /dev/null wherever a standard descriptor was closed by who started us.

    Else the next file that anybody opens becomes our stdout, and Python's own
    `sys.stdout` is None. Raises OSError where there is no /dev/null either.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if not _is_open(number):
            empty = os.open(os.devnull, os.O_RDWR)  # the lowest number: this one
            setattr(sys, name, os.fdopen(empty, "w" if number else "r"))


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
