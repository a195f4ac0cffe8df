"""`fleet keep`, `fleet diff`, `fleet query`: a fleet over time."""

import datetime as dt
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from pipedoctor.cli import formats
from pipedoctor.cli.actions import privacy
from pipedoctor.cli.request.requests_fleet import (
    FleetDiffRequest,
    FleetKeepRequest,
    FleetQueryRequest,
)
from pipedoctor.cli.terminal import output
from pipedoctor.cli.terminal.fleet_progress import show_progress
from pipedoctor.diff.since import parse_since
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.fleet import history
from pipedoctor.fleet.change import compare_fleets
from pipedoctor.fleet.folder import FolderError
from pipedoctor.fleet.ingest import IngestedReports, ingest_reports, open_folders
from pipedoctor.fleet.judge import judge_fleet
from pipedoctor.fleet.redaction import redact_report

if TYPE_CHECKING:
    from pipedoctor.fleet.model import FleetReport, RepeatedOutlier

NOTHING_COMPARED = 3
_END_OF_DAY = 999_999
"""Microseconds of a day that `parse_since` takes as its end."""
T = TypeVar("T")


def append_run(request: FleetKeepRequest) -> None:
    """Append one run to the history; raises UsageError."""
    ingested, report = _judge_places(request.places)
    if not report.nodes:
        message = f"{', '.join(request.places)}: no report could be read, so nothing was saved"
        raise click.UsageError(message)
    now = dt.datetime.now(tz=dt.timezone.utc)
    file = _find_file(request.history)
    if not _use_history(lambda: history.append_run(file, report, ingested, now)):
        click.echo("These reports are already the last run in the history.", err=True)


def find_repeated(since: str, file: str | None) -> "tuple[RepeatedOutlier, ...]":
    """Who stood out again and again since then; raises UsageError."""
    now = dt.datetime.now().astimezone()
    try:
        begin = parse_since(since, now) or now
    except ValueError as error:
        message = f"--since {error}"
        raise click.UsageError(message) from None
    if begin.microsecond == _END_OF_DAY:
        begin = begin.replace(hour=0, minute=0, second=0, microsecond=0)
    return _use_history(lambda: history.find_repeated(_find_file(file), begin))


def diff_fleets(request: FleetDiffRequest) -> int:
    """Compare and write; how the command exits."""
    redactor = privacy.make_redactor(request.output, no_redact=request.no_redact)
    old, new = _judge_places((request.before,)), _judge_places((request.after,))
    change = compare_fleets(
        (old[0], redact_report(old[1], redactor, nodes=False)),
        (new[0], redact_report(new[1], redactor, nodes=False)),
    )
    context = formats.RenderContext(output=request.output, no_color=request.no_color)
    written = formats.render(formats.Subject.FLEET_CHANGE, request.form, change, context)
    output.write_output(written, request.output)
    return int(change.has_differences) if change.nodes else NOTHING_COMPARED


def query_history(request: FleetQueryRequest) -> None:
    """Ask the history and write the answer; raises UsageError."""
    file = _find_file(request.history)
    table = _use_history(lambda: history.run_query(file, request.sql))
    context = formats.RenderContext(output=request.output)
    written = formats.render(formats.Subject.HISTORY_ROWS, request.form, table, context)
    output.write_output(written, request.output)


def _use_history(work: Callable[[], T]) -> T:
    """
    What the history answers; raises UsageError.

    That is raised where the error is gone already: DuckDB complains, when the process
    ends, of each of its objects that a traceback still holds.
    """
    try:
        return work()
    except history.HistoryError as error:
        message = str(error)
    raise click.UsageError(message)


def _judge_places(places: Sequence[str]) -> "tuple[IngestedReports, FleetReport]":
    began = time.monotonic()
    try:
        with show_progress() as progress:
            ingested = ingest_reports(open_folders(places), progress)
    except FolderError as error:
        raise click.UsageError(str(error)) from None
    return ingested, judge_fleet(get_catalogue(), ingested, began=began)


def _find_file(file: str | None) -> Path:
    return Path(file) if file else history.find_default_file()
