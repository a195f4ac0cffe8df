"""The sides of a comparison, as typed: files, stdin, this machine, its past."""

import datetime as dt
import sys
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NoReturn

import click

from pipedoctor.catalogue import Catalogue
from pipedoctor.cli.examination import MARGIN
from pipedoctor.cli.progress import progress
from pipedoctor.collect import files, records
from pipedoctor.config import Options
from pipedoctor.diff.side import Side, record, report
from pipedoctor.facts import Malformed, Unreadable
from pipedoctor.report.json import LARGEST

if TYPE_CHECKING:
    from pipedoctor.history import Kept

HERE = "here"
_ARCHIVE = b"PK"
"""How a .zip begins."""
_LEAST = 0.2
"""Seconds that the examination itself has at least."""


def typed(
    source: str, name: str, given: Mapping[str, Any], catalogue: Catalogue
) -> Side:
    """One side; raises UsageError for what cannot be read."""
    if source == HERE:
        return _here(HERE, given, catalogue)
    try:
        return _read(source, name)
    except (Malformed, Unreadable) as error:
        message = f"{source}: {error}"
        raise click.UsageError(message) from None


def since(
    given: Mapping[str, Any], sources: Sequence[str], catalogue: Catalogue
) -> list[Side]:
    """The machine itself, then and now; raises UsageError."""
    from pipedoctor import history
    from pipedoctor.diff.since import nearest, parse

    if sources:
        message = f"--since compares this machine with itself: it takes no {sources[0]}"
        raise click.UsageError(message)
    now = dt.datetime.now().astimezone()
    try:
        moment = parse(given["since"], now)
    except ValueError as error:
        message = f"--since {error}"
        raise click.UsageError(message) from None
    entries = history.entries()
    kept = nearest(entries, moment)
    if kept is None:
        _nothing_kept(given["since"], entries, now)
    try:
        data = history.read(kept)
        when = kept.when.astimezone().strftime("%Y-%m-%d %H:%M")
        then = report(when, data, origin="kept")
    except (Malformed, Unreadable) as error:
        message = f"--since {given['since']}: the report of {kept.when}: {error}"
        raise click.UsageError(message) from None
    return [then, _here("now", given, catalogue)]


def _read(source: str, name: str) -> Side:
    """Read one file or stdin; raises Malformed and Unreadable."""
    if source == "-":
        data = sys.stdin.buffer.read(LARGEST + 1)
    else:
        data = files.load(source, LARGEST + 1)
    kind = records.kind_of(PurePath(source).name)
    if kind in records.READABLE:
        if len(data) > records.LARGEST:
            message = f"larger than {records.LARGEST >> 20} MiB"
            raise Unreadable(message)
        files.patiently(source, lambda _: len(records.parse(kind, data)))
        return record(name, records.parse(kind, data))
    if data.startswith(_ARCHIVE):
        from pipedoctor import bundle

        data = bundle.report_in(data)
    return report(name, data)


def _here(name: str, given: Mapping[str, Any], catalogue: Catalogue) -> Side:
    """Examine this machine; nothing is redacted yet."""
    options = Options(
        python=given["python"],
        env=given["env"],
        quick=given["quick"],
        deadline=given["deadline"],
    )
    if options.python and options.env:
        message = "--python and --env both name the environment: give one of them"
        raise click.UsageError(message)
    from pipedoctor.cli import inquiry as asked
    from pipedoctor.collect.plan import collect

    inquiry = asked.inquiry(options, (), None)

    def prepare() -> None:
        len(catalogue.checks)

    with progress() as watch:
        facts = collect(
            inquiry,
            deadline=max(_LEAST, options.deadline - MARGIN),
            watch=watch,
            meanwhile=prepare,
        )
    now = dt.datetime.now(tz=dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Side(name=name, origin="here", facts=facts, created=now)


class _NothingKept(click.ClickException):
    """There is nothing to compare with."""

    exit_code = 3


def _nothing_kept(since: str, entries: "Sequence[Kept]", now: dt.datetime) -> NoReturn:
    if entries:
        oldest = min(one.when for one in entries).astimezone(now.tzinfo)
        message = (
            f"--since {since}: no report was kept so early: the oldest is of"
            f" {oldest:%Y-%m-%d %H:%M}"
        )
    else:
        message = (
            f"--since {since}: no report was kept on this machine; `pipedoctor report`"
            " keeps one each time"
        )
    raise _NothingKept(message)
