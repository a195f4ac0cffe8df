"""Where an attachment goes: over no file that is there, unless that is asked for."""

import datetime as dt
import os
from collections.abc import Mapping
from typing import Any

import click

from pipedoctor.cli import output
from pipedoctor.collect import files
from pipedoctor.facts import Unreadable

ENDINGS = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
    ".html": "html",
    ".htm": "html",
    ".zip": "zip",
}
MOST = 1000
"""Reports of one day in one folder."""


def form(typed: Mapping[str, Any]) -> str:
    """The format that is asked for, by option or by the end of the name."""
    named: str = typed.get("output") or ""
    ending = os.path.splitext(named)[1].lower()  # noqa: PTH122
    meant = typed.get("form") or ENDINGS.get(ending)
    if typed.get("everything"):
        if meant not in {None, "zip"}:
            message = f"--all makes a .zip, not {meant}"
            raise click.UsageError(message)
        return "zip"
    if meant is None and ending:
        known = ", ".join(dict.fromkeys(ENDINGS))
        message = f"-o {named}: expected a name that ends with {known}; or say --format"
        raise click.UsageError(message)
    return meant or "markdown"


def refuse_standing(typed: Mapping[str, Any]) -> None:
    """Raise UsageError where a file stands that nobody said to write over."""
    named = typed.get("output")
    if named == output.STDOUT:
        return
    if named and not typed.get("force") and _kind(named) == "file":
        message = f"-o {named}: is there already; --force writes over it"
        raise click.UsageError(message)


def put(typed: Mapping[str, Any], data: bytes, form: str) -> str:
    """Write it to the name that was given, or to one of our own; which, if any."""
    named = typed.get("output")
    if named == output.STDOUT:
        output.write(data, named)
        return ""
    if named and _kind(named) != "folder":
        output.write(data, named)
        return str(named)
    path = ""
    for number in range(1, MOST):
        path = os.path.join(named or "", _name(form, number))  # noqa: PTH118
        try:
            if files.create(path, data):
                return path
        except Unreadable as error:
            message = f"{path}: cannot be written: {error}"
            raise click.UsageError(message) from None
    message = f"{path}: there are too many reports of today"
    raise click.UsageError(message)


def _name(form: str, number: int) -> str:
    """``pipedoctor-report-2026-01-31.md``, then with ``-2`` and so on."""
    ending = next(end for end, name in ENDINGS.items() if name == form)
    today = dt.datetime.now().astimezone().date()
    again = f"-{number}" if number > 1 else ""
    return f"pipedoctor-report-{today}{again}{ending}"


def _kind(path: str) -> str:
    def look(_: object) -> str:
        if os.path.isdir(path):  # noqa: PTH112
            return "folder"
        return "file" if os.path.isfile(path) else ""  # noqa: PTH113

    try:
        return str(files.patiently(path, look))
    except Unreadable as error:
        message = f"-o {path}: cannot be written: {error}"
        raise click.UsageError(message) from None
