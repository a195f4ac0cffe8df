"""`pipedoctor list`: every check that is installed."""

import textwrap
from collections.abc import Iterator
from typing import Any

import click

from pipedoctor.cli.request.options import format_option

_MIN_TITLE_COLUMNS = 30
"""Columns that a title needs to stand beside its name."""
_TITLE_INDENT = " " * 8


@click.command("list")
@format_option(("text", "json"))
@click.option("--tables", is_flag=True, help="Show the data tables and their age instead.")
def command(form: str, tables: bool) -> None:
    """List every check: code, name, title, whether it can be fixed, what it needs."""
    if tables:
        from pipedoctor.cli.actions.list_tables import print_tables

        print_tables(form)
        return
    from pipedoctor.cli.terminal import output
    from pipedoctor.engine.catalogue import get_catalogue
    from pipedoctor.report.sentences import clean_text
    from pipedoctor.textsafe import encode_indented_json

    catalogue = get_catalogue()
    rows = [describe_check(check) for check in catalogue.checks.values()]
    if form == "json":
        broken = [{"pack": b.pack, "reason": b.reason} for b in catalogue.broken]
        whole = {"schema": "pipedoctor.checks/1", "checks": rows, "broken": broken}
        output.write_output(encode_indented_json(whole), None)
    else:
        width = output.get_width() if output.is_terminal(None) else None
        output.write_output("".join(_format_rows(rows, width)), None)
    for pack in catalogue.broken:
        message = f"pipedoctor: pack {clean_text(pack.pack)}: {clean_text(pack.reason)}"
        click.echo(message, err=True)


def describe_check(check: Any) -> dict[str, Any]:
    """The JSON object of one check in `list --format json`."""
    from pipedoctor.check.page import list_required_sections

    return {
        "code": check.code,
        "name": check.name,
        "title": check.title,
        "needs": list_required_sections(check),
        "can_fix": bool(check.fix),
        "pack": check.pack,
    }


def _format_rows(rows: list[dict[str, Any]], width: int | None) -> Iterator[str]:
    """
    Aligned columns, the title last; ``fix`` where a remedy can be applied.

    A line a check, for `grep`; on a terminal the title goes on below itself, or,
    where that is too narrow, on lines of its own.
    """
    from pipedoctor.report.sentences import clean_text

    longest = max((len(one["name"]) for one in rows), default=0)
    for one in rows:
        fix = "fix" if one["can_fix"] else "   "
        head = f"{one['code']}  {one['name']:<{longest}}  {fix}  "
        title = f"{clean_text(one['title'])} ({', '.join(one['needs'])})"
        yield (_place_title(head, title, width) if width else head + title) + "\n"


def _place_title(head: str, title: str, width: int) -> str:
    """The title to the right of what its line starts with, or below it."""
    start = len(head)
    if width - start < _MIN_TITLE_COLUMNS:
        head, start = head.rstrip() + "\n" + _TITLE_INDENT, len(_TITLE_INDENT)
    lines = textwrap.wrap(title, max(width - start, _MIN_TITLE_COLUMNS), break_long_words=False)
    return head + ("\n" + " " * start).join(lines)
