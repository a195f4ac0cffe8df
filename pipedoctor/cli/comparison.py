"""From what was typed to a comparison, and from a comparison to what is written."""

import datetime as dt
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NoReturn

import click

from pipedoctor.catalogue import Catalogue, installed
from pipedoctor.cli import inquiry as asked
from pipedoctor.cli import output
from pipedoctor.cli.progress import progress
from pipedoctor.collect import files, records
from pipedoctor.collect.machine import Machine
from pipedoctor.config import Options
from pipedoctor.diff import side
from pipedoctor.diff.build import Scope, compare
from pipedoctor.diff.model import Diff
from pipedoctor.diff.side import Side
from pipedoctor.examine import MARGIN, Standards
from pipedoctor.facts import SECTIONS, Malformed, Unreadable
from pipedoctor.redact import Level, Redactor
from pipedoctor.report.json import LARGEST
from pipedoctor.selection import suggestion

if TYPE_CHECKING:
    from pipedoctor.history import Kept

HERE = "here"
_ARCHIVE = b"PK"
"""How a .zip begins."""
_LEAST = 0.2
"""Seconds that the examination itself has at least."""
_FEWEST = 2
_MOST = 32
"""Sides that anybody can still read beside each other."""


def conduct(sources: Sequence[str], given: Mapping[str, Any]) -> Diff:
    """Do what was typed; raises UsageError for what cannot be meant or read."""
    catalogue = installed()
    scope = _scope(given)
    if given["since"] is not None:
        sides = _since(given, sources, catalogue)
    else:
        _plausible(sources)
        names = _names(sources)
        sides = [
            _side(source, name, given, catalogue)
            for source, name in zip(sources, names, strict=True)
        ]
    return compare(catalogue, sides, _standards(given), scope=scope)


def render(diff: Diff, given: Mapping[str, Any]) -> str | bytes:
    """Write it in the format that is asked for; only this one is loaded."""
    form = given["form"]
    if form != "text":
        written: str | bytes = import_module(f"pipedoctor.diff.{form}").render(diff)
        return written
    from pipedoctor.diff import text

    target = given["output"]
    return text.render(
        diff,
        width=output.width(),
        colour=output.colours(target, no_color=given["no_color"]),
        detail=(
            "brief" if given["quiet"] else "full" if given["verbose"] else "normal"
        ),
        ascii_only=output.ascii_only(target),
    )


def _plausible(sources: Sequence[str]) -> None:
    if len(sources) < _FEWEST:
        one = f"{sources[0]} here" if sources and sources[0] != HERE else "A here"
        message = (
            f"it takes two to differ: `pipedoctor diff {one}`, where `here` is this"
            " machine, or --since yesterday"
        )
        raise click.UsageError(message)
    if len(sources) > _MOST:
        message = f"{len(sources)} sides: at most {_MOST} can be compared"
        raise click.UsageError(message)
    for word in ("-", HERE):
        if sources.count(word) > 1:
            message = f"`{word}` is given twice: it would be compared with itself"
            raise click.UsageError(message)


def _names(sources: Sequence[str]) -> list[str]:
    """What the output calls them: the file's name where it is the only one."""
    short = [
        source if source in {"-", HERE} else PurePath(source).name or source
        for source in sources
    ]
    counted = Counter(short)
    plain = [
        name if counted[name] == 1 else source
        for name, source in zip(short, sources, strict=True)
    ]
    names = ["stdin" if name == "-" else name for name in plain]
    if len(set(names)) == len(names):
        return names
    return [f"{name} ({number})" for number, name in enumerate(names, 1)]


def _side(
    source: str, name: str, given: Mapping[str, Any], catalogue: Catalogue
) -> Side:
    if source == HERE:
        return _here(HERE, given, catalogue)
    try:
        return _read(source, name)
    except (Malformed, Unreadable) as error:
        message = f"{source}: {error}"
        raise click.UsageError(message) from None


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
        return side.record(name, records.parse(kind, data))
    if data.startswith(_ARCHIVE):
        from pipedoctor import bundle

        data = bundle.report_in(data)
    return side.report(name, data)


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


def _since(
    given: Mapping[str, Any], sources: Sequence[str], catalogue: Catalogue
) -> list[Side]:
    """The machine itself, then and now."""
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
        then = side.report(when, data, origin="kept")
    except (Malformed, Unreadable) as error:
        message = f"--since {given['since']}: the report of {kept.when}: {error}"
        raise click.UsageError(message) from None
    return [then, _here("now", given, catalogue)]


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


def _scope(given: Mapping[str, Any]) -> Scope:
    return Scope(select=_sections(given["select"]), ignore=_sections(given["ignore"]))


def _sections(texts: Sequence[str]) -> tuple[str, ...]:
    """Names of sections, with commas or one by one; raises UsageError."""
    names = [name.strip() for text in texts for name in text.split(",")]
    for name in filter(None, names):
        if name not in SECTIONS:
            close = suggestion(name.lower(), SECTIONS)
            message = (
                f"{name!r} is no section of a report{close}; expected"
                f" {', '.join(SECTIONS)}"
            )
            raise click.UsageError(message)
    return tuple(filter(None, names))


def _standards(given: Mapping[str, Any]) -> Standards:
    """All checks with their own thresholds: configuration is one machine's affair."""
    level = Level.ALL
    if given["no_redact"]:
        level = Level.NOTHING
    elif output.on_terminal(given["output"]):
        level = Level.SECRETS
    redactor = Redactor(level)
    redactor.meet(asked.who(Machine()))
    return Standards(redactor=redactor)
