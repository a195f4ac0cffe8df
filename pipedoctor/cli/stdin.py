"""Code that comes through stdin, as editors give it: PATHS ``-``."""

import sys
from collections.abc import Mapping
from typing import Any

import click

from pipedoctor.source.files import LARGEST, Source

NAMELESS = "<stdin>"


def taken(typed: Mapping[str, Any]) -> Mapping[str, Any]:
    """
    What was typed, with the code of stdin in place of ``-`` among PATHS.

    Raises UsageError for a name without code, and for more code than is read.
    """
    paths: tuple[str, ...] = typed.get("paths", ())
    name: str | None = typed.get("stdin_filename")
    if "-" not in paths:
        if name is not None:
            message = "--stdin-filename names the code of stdin: PATHS has no `-`"
            raise click.UsageError(message)
        return typed
    if typed.get("record"):
        return typed  # which refuses PATHS
    data = sys.stdin.buffer.read(LARGEST + 1)
    if len(data) > LARGEST:
        message = f"PATHS: -: larger than {LARGEST >> 20} MiB: no training script is"
        raise click.UsageError(message)
    others = tuple(path for path in paths if path != "-")
    return {**typed, "paths": others, "stdin": Source(name or NAMELESS, data)}
