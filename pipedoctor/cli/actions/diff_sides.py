"""The sides of a comparison, as typed: files, stdin, this machine, its past."""

import datetime as dt
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING, NoReturn

import click

from pipedoctor.cli.actions.check_output import JUDGING_SECONDS
from pipedoctor.cli.request.check_options import CheckOptions
from pipedoctor.cli.request.requests import DiffRequest
from pipedoctor.cli.terminal.progress import show_progress
from pipedoctor.collect.environment import environment_records
from pipedoctor.diff.side import DiffSide, build_record_side, read_report_side
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.facts import MalformedRecordError, UnreadableError
from pipedoctor.report.json import MAX_REPORT_BYTES
from pipedoctor.runtime import files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipedoctor.report.archive import ArchivedReport

HERE = "here"
_ZIP_MAGIC = b"PK"
"""How a .zip begins."""
_MIN_EXAMINATION_SECONDS = 0.2
"""Seconds that the examination itself has at least."""


def read_side(source: str, name: str, request: DiffRequest, catalogue: Catalogue) -> DiffSide:
    """One side; raises UsageError for what cannot be read."""
    if source == HERE:
        return _examine_here(HERE, request, catalogue)
    try:
        return _read_source(source, name)
    except (MalformedRecordError, UnreadableError) as error:
        from pipedoctor.cli.request.file_kind import describe_other_kind

        hint = describe_other_kind(source, "report", "environment")
        message = f"{source}: {error}{hint}"
        raise click.UsageError(message) from None


def read_since_sides(request: DiffRequest, since: str, catalogue: Catalogue) -> list[DiffSide]:
    """The machine itself, then and now; raises UsageError."""
    from pipedoctor.cli.actions import kept_reports
    from pipedoctor.diff.since import find_nearest, parse_since
    from pipedoctor.report import archive

    if request.sides:
        message = f"--since cannot be combined with sides: {request.sides[0]}"
        raise click.UsageError(message)
    now = dt.datetime.now().astimezone()
    try:
        moment = parse_since(since, now)
    except ValueError as error:
        message = f"--since {error}"
        raise click.UsageError(message) from None
    entries = kept_reports.find_reports(f"--since {since}")
    kept = find_nearest(entries, moment)
    if kept is None:
        _raise_no_report(since, entries, now)
    try:
        data = archive.read_restored(kept)
        when = kept.created.astimezone().strftime("%Y-%m-%d %H:%M")
        then = read_report_side(when, data, origin="kept")
    except (MalformedRecordError, UnreadableError) as error:
        message = f"--since {since}: the report of {kept.created}: {error}"
        raise click.UsageError(message) from None
    return [then, _examine_here("now", request, catalogue)]


def _read_source(source: str, name: str) -> DiffSide:
    """Read one file or stdin; raises MalformedRecordError and Unreadable."""
    if source == "-":
        data = sys.stdin.buffer.read(MAX_REPORT_BYTES + 1)
    else:
        data = files.load_file(source, MAX_REPORT_BYTES + 1)
    kind = environment_records.detect_kind(PurePath(source).name)
    if kind in environment_records.COMPARABLE_KINDS:
        if len(data) > environment_records.MAX_RECORD_BYTES:
            message = f"larger than {environment_records.MAX_RECORD_BYTES >> 20} MiB"
            raise UnreadableError(message)
        files.run_with_timeout(source, lambda _: len(environment_records.parse_record(kind, data)))
        return build_record_side(name, environment_records.parse_record(kind, data))
    if data.startswith(_ZIP_MAGIC):
        from pipedoctor.report import bundle

        data = bundle.extract_report(data)
    return read_report_side(name, data)


def _examine_here(name: str, request: DiffRequest, catalogue: Catalogue) -> DiffSide:
    """Examine this machine; nothing is redacted yet."""
    options = CheckOptions(
        python=request.python,
        env=request.env,
        quick=request.quick,
        deadline=request.deadline,
    )
    if options.python and options.env:
        message = "--python and --env cannot be combined"
        raise click.UsageError(message)
    from pipedoctor.cli.request.check_request import build_inquiry
    from pipedoctor.collect.plan import collect_facts

    inquiry = build_inquiry(options, (), None)

    def prepare() -> None:
        len(catalogue.checks)

    with show_progress() as watch:
        facts = collect_facts(
            inquiry,
            deadline=max(_MIN_EXAMINATION_SECONDS, options.deadline - JUDGING_SECONDS),
            on_progress=watch,
            on_start=prepare,
        )
    now = dt.datetime.now(tz=dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return DiffSide(name=name, origin="here", facts=facts, created=now)


class _NoReportError(click.ClickException):
    """There is nothing to compare with."""

    exit_code = 3


def _raise_no_report(since: str, entries: "Sequence[ArchivedReport]", now: dt.datetime) -> NoReturn:
    if entries:
        oldest = min(one.created for one in entries).astimezone(now.tzinfo)
        message = (
            f"--since {since}: no saved report is that old: the oldest is from"
            f" {oldest:%Y-%m-%d %H:%M}"
        )
    else:
        message = (
            f"--since {since}: no report was saved on this machine; each"
            " `pipedoctor report` saves one"
        )
    raise _NoReportError(message)
