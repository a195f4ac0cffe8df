"""How reports name a file of the user's code."""

import os
from collections.abc import Sequence


def format_path(path: str, code: Sequence[str]) -> str:
    """Make a path relative to the working directory, else to its argument."""
    here = os.getcwd()  # noqa: PTH109  (stays a text, whatever bytes it holds)
    full = os.path.abspath(path)  # noqa: PTH100
    if full.startswith(here.rstrip("/") + os.sep):
        return full[len(here.rstrip("/")) + 1 :].replace(os.sep, "/")
    for one in code:
        base = os.path.abspath(one)  # noqa: PTH100
        if full == base:
            return os.path.basename(full)  # noqa: PTH119
        if full.startswith(base.rstrip("/") + os.sep):
            return full[len(base.rstrip("/")) + 1 :].replace(os.sep, "/")
    return path.replace(os.sep, "/")
