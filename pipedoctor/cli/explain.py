"""`pipedoctor explain`: from an error log to the cause; or the page of a check."""

import os
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from pipedoctor.cli.options import NO_COLOR, NO_REDACT, OUTPUT, form

if TYPE_CHECKING:
    from pipedoctor.facts import Facts

FORMATS = ("text", "json", "markdown")
_EMPTY = 3


@click.command("explain")
@click.argument("target", metavar="[LOG|-|NAME]", required=False)
@click.option(
    "--from",
    "record",
    metavar="FILE",
    help="Look at the machine in this JSON report, not at this one.",
)
@click.option("--all-places", is_flag=True, help="Remedies for other places, too.")
@form(FORMATS)
@OUTPUT
@NO_REDACT
@NO_COLOR
@click.pass_context
def command(context: click.Context, /, target: str | None, **given: Any) -> None:
    """Name the cause in an error log, or show the page of a check."""
    if target is None and sys.stdin.isatty():
        message = "give a log, - for stdin, or the name of a check"
        raise click.UsageError(message)
    if target in {None, "-"}:
        context.exit(_explain(sys.stdin.buffer, "-", given))
    assert target is not None  # noqa: S101  (see above)
    if _is_there(target):
        with _opened(target) as file:
            context.exit(_explain(file, target, given))
    _page(target, given)


def _is_there(target: str) -> bool:
    from pipedoctor.collect import files
    from pipedoctor.facts import Unreadable

    try:
        found = files.patiently(target, lambda _: os.path.exists(target))  # noqa: PTH110
    except Unreadable as error:
        message = f"{target}: cannot be read: {error}"
        raise click.UsageError(message) from None
    return bool(found)


def _opened(path: str) -> BinaryIO:
    from pipedoctor.collect.files import why

    try:
        return open(path, "rb")  # noqa: PTH123  (also /dev/fd/3)
    except OSError as error:
        message = f"{path}: cannot be read: {why(error)}"
        raise click.UsageError(message) from None


def _explain(file: BinaryIO, source: str, given: dict[str, Any]) -> int:
    """Explain a log; 1: a cause was found, 0: none that is ours, 3: it is empty."""
    from pipedoctor.cli import output, privacy
    from pipedoctor.explanation.explain import explain
    from pipedoctor.explanation.machine import look
    from pipedoctor.report.words import clean

    redactor = privacy.redactor(given["output"], no_redact=given["no_redact"])
    record = given["record"]
    facts = look if record is None else _recorded(record)
    try:
        said = explain(file, source=source, redactor=redactor, facts=facts)
    except (OSError, EOFError) as error:
        message = f"{source}: cannot be read: {error}"
        raise click.UsageError(message) from None
    for one in said.left_out:
        said_why = clean(f"pipedoctor: left out: {one.name}: {one.reason}")
        click.echo(said_why, err=True)
    output.write(_render(said, given), given["output"])
    return int(bool(said.causes)) if said.lines else _EMPTY


def _recorded(record: str) -> Any:
    """The facts of a report, whatever is asked for; raises UsageError."""
    from pipedoctor.cli import inquiry
    from pipedoctor.facts import Malformed
    from pipedoctor.report.json import read

    try:
        facts, _ = read(inquiry.record(record, {}))
    except Malformed as error:
        message = f"--from {record}: {error}"
        raise click.UsageError(message) from None

    def recorded(_wanted: object) -> "Facts":
        return facts

    return recorded


def _render(said: Any, given: dict[str, Any]) -> str | bytes:
    if given["form"] == "json":
        from pipedoctor.explanation import json

        return json.render(said)
    if given["form"] == "markdown":
        from pipedoctor.explanation import markdown

        return markdown.render(said)
    from pipedoctor.cli import output
    from pipedoctor.explanation import text

    target = given["output"]
    return text.render(
        said,
        width=output.width(),
        colour=output.colours(target, no_color=given["no_color"]),
        all_places=given["all_places"],
        ascii_only=output.ascii_only(target),
    )


def _page(name: str, given: dict[str, Any]) -> None:
    from pipedoctor.catalogue import installed
    from pipedoctor.cli import output
    from pipedoctor.page import page
    from pipedoctor.selection import suggestion

    catalogue = installed()
    check = catalogue.find(name)
    if check is None:
        close = suggestion(name.lower(), (*catalogue.by_name, *catalogue.checks))
        message = f"{name}: no file, and no check of this name or code{close}"
        raise click.UsageError(message)
    shown: str | bytes = page(check)
    if given["form"] == "json":
        shown = _as_json(check, page(check))
    output.write(shown, given["output"])


def _as_json(check: Any, markdown: str) -> bytes:
    from pipedoctor.cli.list import row
    from pipedoctor.legible import indented

    whole = {"schema": "pipedoctor.page/1", **row(check), "page": markdown}
    return indented(whole)
