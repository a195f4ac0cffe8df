"""Where an attachment goes: over no file that is there, unless that is asked for."""

import datetime as dt
import os

import click

from pipedoctor.cli import formats
from pipedoctor.cli.request.requests import ReportRequest
from pipedoctor.cli.terminal import output
from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import files

MAX_DAILY_REPORTS = 1000
"""Reports of one day in one folder."""


def choose_format(request: ReportRequest) -> str:
    """The format that is asked for, by option or by the end of the name."""
    named = request.output or ""
    ending = os.path.splitext(named)[1].lower()  # noqa: PTH122
    by_ending = _index_by_ending()
    meant = request.form or by_ending.get(ending)
    if request.everything:
        if meant not in {None, "zip"}:
            message = f"--all makes a .zip, not {meant}"
            raise click.UsageError(message)
        return "zip"
    if meant is None and ending:
        known = ", ".join(by_ending)
        message = f"-o {named}: expected a name that ends with {known}; or give --format"
        raise click.UsageError(message)
    return meant or formats.DEFAULT_ATTACHMENT


def _index_by_ending() -> dict[str, str]:
    """Formats of attachments by how the name of a file ends."""
    names = formats.list_formats(formats.Subject.ATTACHMENT, formats.DEFAULT_ATTACHMENT)
    return {ending: name for name in names for ending in formats.FORMATS[name].endings}


def refuse_overwrite(request: ReportRequest) -> None:
    """Raise UsageError where a file stands that nobody said to write over."""
    named = request.output
    if named == output.STDOUT:
        return
    if named and not request.force and _detect_kind(named) == "file":
        message = f"-o {named}: already exists; --force overwrites it"
        raise click.UsageError(message)


def write_attachment(request: ReportRequest, text: str | bytes, form: str) -> str:
    """Write it to the name that was given, or to one of our own; which, if any."""
    data = text if isinstance(text, bytes) else text.encode()
    named = request.output
    if named == output.STDOUT:
        output.write_output(data, named)
        return ""
    if named and _detect_kind(named) != "folder":
        output.write_output(data, named)
        return named
    path = ""
    for number in range(1, MAX_DAILY_REPORTS):
        path = os.path.join(named or "", _make_file_name(form, number))  # noqa: PTH118
        try:
            if files.create_file(path, data):
                return path
        except UnreadableError as error:
            message = f"{path}: cannot be written: {error}"
            raise click.UsageError(message) from None
    message = f"{path}: too many reports from today"
    raise click.UsageError(message)


def _make_file_name(form: str, number: int) -> str:
    """``pipedoctor-report-2026-01-31.md``, then with ``-2`` and so on."""
    ending = formats.FORMATS[form].endings[0]
    today = dt.datetime.now().astimezone().date()
    again = f"-{number}" if number > 1 else ""
    return f"pipedoctor-report-{today}{again}{ending}"


def _detect_kind(path: str) -> str:
    def look(_: object) -> str:
        if os.path.isdir(path):  # noqa: PTH112
            return "folder"
        return "file" if os.path.isfile(path) else ""  # noqa: PTH113

    try:
        return str(files.run_with_timeout(path, look))
    except UnreadableError as error:
        message = f"-o {path}: cannot be written: {error}"
        raise click.UsageError(message) from None
