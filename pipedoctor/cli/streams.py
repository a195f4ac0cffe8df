"""A program that was started without stdin, stdout or stderr gets empty ones."""

import os
import sys


def open_missing() -> None:
    """
    Open /dev/null wherever a standard descriptor was closed by who started us.

    Else the next file that anybody opens becomes our stdout, and Python's own
    `sys.stdout` is None.
    """
    for name, number, mode in (
        ("stdin", 0, "r"),
        ("stdout", 1, "w"),
        ("stderr", 2, "w"),
    ):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            setattr(sys, name, open(number, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
