"""From what was typed to a report, and from a report to what is written."""

import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import click
import msgspec

from pipedoctor.cli import inquiry as asked
from pipedoctor.cli import output, priced, stdin
from pipedoctor.cli.progress import progress
from pipedoctor.collect.files import Silent
from pipedoctor.collect.plan import collect
from pipedoctor.config import Config, File, Options, Unfit, configure, find
from pipedoctor.facts import Malformed
from pipedoctor.selection import UnknownName

if TYPE_CHECKING:
    from pipedoctor.catalogue import Catalogue
    from pipedoctor.cli.desk import Desk
    from pipedoctor.redact import Redactor
    from pipedoctor.report.model import Report

NOTHING_JUDGED = 3
FOR_CI = ("sarif", "junit", "github")
MARGIN = 1.0
"""Seconds of the deadline kept back for judging and printing."""
PRINTING = 0.3
"""Seconds of these for printing alone."""
_JOB = ("workers", "batch_bytes", "prefetch", "ranks")
"""Of a record, only what is typed: files around here describe another job."""
_LEAST = 1.0
"""Seconds that the examination itself has at least."""


class _Later:
    """The catalogue, imported when somebody first asks for a part of it."""

    @cached_property
    def whole(self) -> "Catalogue":
        from pipedoctor.catalogue import installed

        return installed()

    def __getattr__(self, part: str) -> Any:
        return getattr(self.whole, part)


def conduct(
    typed: Mapping[str, Any], redactor: "Redactor | None" = None
) -> "tuple[Report, Options, bool]":
    """
    Do what was typed; raises UsageError for what cannot be meant or read.

    Without a `redactor` it depends on who reads: a terminal or a file. The last of
    what it gives says whether Ctrl-C has ended the measuring.
    """
    began = time.monotonic()
    typed = stdin.taken(typed)
    priced.given(typed)
    later, stopped = _Later(), False
    try:
        config = _config(typed, cast("Catalogue", later))

        def prepare() -> "Desk":
            from pipedoctor.cli.desk import desk

            return desk(typed, config, later.whole, redactor)

        if typed.get("record"):
            report = _record(typed, prepare())
        else:
            report, stopped = _machine(typed, config, prepare, began)
    except (Unfit, UnknownName) as error:
        raise click.UsageError(str(error)) from None
    except Malformed as error:
        message = f"--from {typed['record']}: {error}"
        raise click.UsageError(message) from None
    return report, config.options, stopped


def render(report: "Report", options: Options, target: str | None) -> str | bytes:
    """Write the report in the format that is asked for; only this one is loaded."""
    if options.format == "json":
        from pipedoctor.report import json

        return json.render(report)
    if options.format == "markdown":
        from pipedoctor.report import markdown

        return markdown.render(report)
    if options.format == "html":
        from pipedoctor.report import html

        return html.render(report).encode()  # as the page says of itself
    if options.format in FOR_CI:
        return _for_ci(report, options)
    from pipedoctor.report import text

    return text.render(
        report,
        width=output.width(),
        colour=output.colours(target, no_color=options.no_color),
        detail=("brief" if options.quiet else "full" if options.verbose else "normal"),
        ascii_only=output.ascii_only(target),
    )


def _for_ci(report: "Report", options: Options) -> bytes:
    if options.format == "github":
        from pipedoctor.report import github

        return github.render(report)
    from pipedoctor.catalogue import installed

    checks = installed().checks
    if options.format == "junit":
        from pipedoctor.report import junit

        return junit.render(report, checks, options.fail_on)
    from pipedoctor.report import sarif

    return sarif.render(report, checks, exit_code(report, options))


def mention_broken(report: "Report") -> None:
    """Say on stderr which packs of checks would not load, one line each."""
    from pipedoctor.report.words import clean

    for pack in report.broken:
        click.echo(
            f"pipedoctor: pack {clean(pack.pack)}: {clean(pack.reason)}", err=True
        )


def exit_code(report: "Report", options: Options) -> int:
    """0 fine, 1 something at or above --fail-on, 3 nothing could be judged."""
    if not report.judged:
        return NOTHING_JUDGED
    worst = report.worst()
    if worst is None or options.fail_on == "never":
        return 0
    from pipedoctor.check import Severity

    return int(worst >= Severity[options.fail_on.upper()])


def _config(typed: Mapping[str, Any], catalogue: "Catalogue") -> Config:
    known = {field.name: field.encode_name for field in msgspec.structs.fields(Options)}
    given = {known[name]: value for name, value in typed.items() if name in known}
    if given.get("python") and given.get("env"):
        message = "--python and --env both name the environment: give one of them"
        raise click.UsageError(message)
    file = File()
    if not typed.get("no_config"):
        try:
            file = find(typed.get("config"))
        except Silent as error:
            click.echo(f"pipedoctor: no configuration was read: {error}", err=True)
    return configure(file, given, catalogue)


def _machine(
    typed: Mapping[str, Any],
    config: Config,
    prepare: Callable[[], "Desk"],
    began: float,
) -> "tuple[Report, bool]":
    """
    Look at this machine and judge it, within the deadline.

    While the first collectors read, the checks are loaded and standards are set.
    """
    options = config.options
    inquiry = asked.inquiry(
        options,
        typed.get("paths", ()),
        typed.get("pid"),
        typed.get("against"),
        verify_files=typed.get("verify_files", False),
        typed=typed.get("stdin"),
    )
    ready = [prepare()] if _takes_time(typed, options) else []
    left = max(_LEAST, options.deadline - (time.monotonic() - began))
    price = priced.measured(typed, inquiry.code)
    priced.mention(typed, price)
    began = time.monotonic()

    def meanwhile() -> None:
        if not ready:
            ready.append(prepare())
        ready[0].load()

    with progress() as watch:
        facts = collect(
            inquiry, deadline=max(0.2, left - MARGIN), watch=watch, meanwhile=meanwhile
        )
    until = began + left - PRINTING
    who = asked.who(inquiry.machine)
    return ready[0].judge(facts, price, who, began, until), price.interrupted


def _takes_time(typed: Mapping[str, Any], options: Options) -> bool:
    """Must it be known what counts before anything runs: git, or the user's code?"""
    asked_of = ("diff", "write_baseline", "measure")
    return options.baseline is not None or any(typed.get(name) for name in asked_of)


def _record(typed: Mapping[str, Any], desk: "Desk") -> "Report":
    others = {
        "PATHS": typed.get("paths"),
        "--pid": typed.get("pid"),
        "--against": typed.get("against"),
        "--verify-files": typed.get("verify_files"),
        **{f"--{name}": typed.get(name) for name in ("data", "python", "env")},
    }
    data = asked.record(typed["record"], others)
    job = {name: typed[name] for name in _JOB if name in typed}
    loader = msgspec.structs.replace(Options(), **job).loader
    return desk.rejudge(data, loader)
