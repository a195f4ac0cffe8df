"""`pipedoctor list`: every check that is installed."""

import textwrap
from collections.abc import Iterator
from typing import Any

import click

_ROOM = 30
"""Columns that a title needs to stand beside its name."""
_BELOW = " " * 8


@click.command("list")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text")
@click.option("--tables", is_flag=True, help="Show the tables instead, and their age.")
def command(form: str, tables: bool) -> None:
    """Show every check: code, name, title, what it needs, whether it can fix."""
    if tables:
        from pipedoctor.cli import tables as shown

        shown.show(form)
        return
    from pipedoctor.catalogue import installed
    from pipedoctor.cli import output
    from pipedoctor.legible import indented
    from pipedoctor.report.words import clean

    catalogue = installed()
    rows = [row(check) for check in catalogue.checks.values()]
    if form == "json":
        broken = [{"pack": b.pack, "reason": b.reason} for b in catalogue.broken]
        whole = {"schema": "pipedoctor.checks/1", "checks": rows, "broken": broken}
        output.write(indented(whole), None)
    else:
        width = output.width() if output.on_terminal(None) else None
        output.write("".join(_lines(rows, width)), None)
    for pack in catalogue.broken:
        message = f"pipedoctor: pack {clean(pack.pack)}: {clean(pack.reason)}"
        click.echo(message, err=True)


def row(check: Any) -> dict[str, Any]:
    """What is said of a check to programs."""
    from pipedoctor.page import can_fix, needs

    return {
        "code": check.code,
        "name": check.name,
        "title": check.title,
        "needs": needs(check),
        "can_fix": can_fix(check),
        "pack": check.pack,
    }


def _lines(rows: list[dict[str, Any]], width: int | None) -> Iterator[str]:
    """
    Aligned columns, the title last; ``fix`` where a remedy can be applied.

    A line a check, for `grep`; on a terminal the title goes on below itself, or,
    where that is too narrow, on lines of its own.
    """
    from pipedoctor.report.words import clean

    longest = max((len(one["name"]) for one in rows), default=0)
    for one in rows:
        fix = "fix" if one["can_fix"] else "   "
        head = f"{one['code']}  {one['name']:<{longest}}  {fix}  "
        title = f"{clean(one['title'])} ({', '.join(one['needs'])})"
        yield (_beside(head, title, width) if width else head + title) + "\n"


def _beside(head: str, title: str, width: int) -> str:
    """The title to the right of what its line starts with, or below it."""
    start = len(head)
    if width - start < _ROOM:
        head, start = head.rstrip() + "\n" + _BELOW, len(_BELOW)
    lines = textwrap.wrap(title, max(width - start, _ROOM), break_long_words=False)
    return head + ("\n" + " " * start).join(lines)
