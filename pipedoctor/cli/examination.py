"""From what was typed to a report, and from a report to what is written."""

import time
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click
import msgspec

from pipedoctor.aliases import Memory
from pipedoctor.catalogue import Catalogue, installed
from pipedoctor.check import Severity
from pipedoctor.cli import inquiry as asked
from pipedoctor.cli import narrowing, output, priced, privacy, stdin
from pipedoctor.cli.measured import measured
from pipedoctor.cli.progress import progress
from pipedoctor.collect.files import Silent
from pipedoctor.config import Config, File, Options, Unfit, configure, find
from pipedoctor.examine import Standards, examine, judged, reexamine
from pipedoctor.facts import Facts, Malformed
from pipedoctor.narrow.narrow import Narrowing
from pipedoctor.redact import Redactor
from pipedoctor.report.model import Report
from pipedoctor.selection import UnknownName, selection

NOTHING_JUDGED = 3
FOR_CI = ("sarif", "junit", "github")
_JOB = ("workers", "batch_bytes", "prefetch", "ranks")
"""Of a record, only what is typed: files around here describe another job."""
_LEAST = 1.0
"""Seconds that the examination itself has at least."""


def conduct(
    typed: Mapping[str, Any], redactor: Redactor | None = None
) -> tuple[Report, Options]:
    """
    Do what was typed; raises UsageError for what cannot be meant or read.

    Without a `redactor` it depends on who reads: a terminal or a file.
    """
    began = time.monotonic()
    typed = stdin.taken(typed)
    priced.given(typed)
    try:
        catalogue = installed()
        config = _config(typed, catalogue)
        standards = _standards(typed, config, catalogue)
        if redactor is not None:
            standards = msgspec.structs.replace(standards, redactor=redactor)
        report = _report(typed, config, catalogue, standards, began)
    except (Unfit, UnknownName) as error:
        raise click.UsageError(str(error)) from None
    except Malformed as error:
        message = f"--from {typed['record']}: {error}"
        raise click.UsageError(message) from None
    return report, config.options


def _report(
    typed: Mapping[str, Any],
    config: Config,
    catalogue: Catalogue,
    standards: Standards,
    began: float,
) -> Report:
    """Examine once; where the baseline is written, judge again with it."""
    wanted = narrowing.narrowing(typed, config)
    writing = bool(typed.get("write_baseline"))
    counting = Narrowing(rules=wanted.rules) if writing else wanted
    standards = msgspec.structs.replace(standards, narrowing=counting)
    if typed.get("record"):
        report = _record(typed, catalogue, standards)
    else:
        report = _machine(typed, config, catalogue, standards, began)
    if not writing:
        return report
    wanted = narrowing.rewrite(wanted, report)
    standards = msgspec.structs.replace(standards, narrowing=wanted)
    return _again(catalogue, report, standards, began)


def _again(
    catalogue: Catalogue, report: Report, standards: Standards, began: float
) -> Report:
    """Judge the same facts by other standards."""
    record = {"known": report.facts.known, "unknown": report.facts.unknown}
    return judged(
        catalogue,
        Facts.from_record(record),
        standards,
        began=began,
        recorded=report.recorded,
    )


def render(report: Report, options: Options, target: str | None) -> str | bytes:
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


def _for_ci(report: Report, options: Options) -> bytes:
    if options.format == "github":
        from pipedoctor.report import github

        return github.render(report)
    checks = installed().checks
    if options.format == "junit":
        from pipedoctor.report import junit

        return junit.render(report, checks, options.fail_on)
    from pipedoctor.report import sarif

    return sarif.render(report, checks, exit_code(report, options))


def mention_broken(report: Report) -> None:
    """Say on stderr which packs of checks would not load, one line each."""
    from pipedoctor.report.words import clean

    for pack in report.broken:
        click.echo(
            f"pipedoctor: pack {clean(pack.pack)}: {clean(pack.reason)}", err=True
        )


def exit_code(report: Report, options: Options) -> int:
    """0 fine, 1 something at or above --fail-on, 3 nothing could be judged."""
    if not report.judged:
        return NOTHING_JUDGED
    worst = report.worst()
    if worst is None or options.fail_on == "never":
        return 0
    return int(worst >= Severity[options.fail_on.upper()])


def _config(typed: Mapping[str, Any], catalogue: Catalogue) -> Config:
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


def _standards(
    typed: Mapping[str, Any], config: Config, catalogue: Catalogue
) -> Standards:
    options = config.options
    level = privacy.level(typed.get("output"), no_redact=options.no_redact)
    return Standards(
        chosen=selection(catalogue, options.select, options.ignore),
        settings=config.settings,
        accepted=config.accepted,
        redactor=Redactor(level, memory=_memory(options, typed)),
        measured=measured(typed.get("measured", ())),
    )


def _memory(options: Options, typed: Mapping[str, Any]) -> Memory | None:
    """The book of aliases, for reports that are kept; opening it takes its time."""
    if not options.keep or typed.get("record"):
        return None
    from pipedoctor.book import Book

    return Book()


def _machine(
    typed: Mapping[str, Any],
    config: Config,
    catalogue: Catalogue,
    standards: Standards,
    began: float,
) -> Report:
    options = config.options
    inquiry = asked.inquiry(
        options,
        typed.get("paths", ()),
        typed.get("pid"),
        typed.get("against"),
        verify_files=typed.get("verify_files", False),
        typed=typed.get("stdin"),
    )
    standards.redactor.meet(asked.who(inquiry.machine))
    left = max(_LEAST, options.deadline - (time.monotonic() - began))
    standards = _measured(typed, inquiry.code, standards)
    with progress() as watch:
        return examine(
            catalogue,
            inquiry,
            standards,
            deadline=left,
            watch=watch,
            meanwhile=lambda: import_module(f"pipedoctor.report.{options.format}"),
        )


def _measured(
    typed: Mapping[str, Any], paths: tuple[str, ...], standards: Standards
) -> Standards:
    """With the pipeline of --measure; it takes its own time, not the deadline's."""
    found = priced.measured(typed, paths)
    priced.mention(typed, found)
    if found.pipeline is None:
        return msgspec.structs.replace(standards, unmeasured=found.unmeasured)
    facts = (*standards.measured, found.pipeline)
    return msgspec.structs.replace(standards, measured=facts)


def _record(
    typed: Mapping[str, Any], catalogue: Catalogue, standards: Standards
) -> Report:
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
    return reexamine(catalogue, data, loader, standards)
