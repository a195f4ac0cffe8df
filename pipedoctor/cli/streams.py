"""A program that was started without stdin, stdout or stderr gets empty ones."""

import os
import sys


def open_missing() -> None:
    """
    Open /dev/null wherever a standard descriptor was closed by who started us.

    Else the next file that anybody opens becomes our stdout, and Python's own
    `sys.stdout` is None.
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
