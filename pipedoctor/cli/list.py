"""`pipedoctor list`: every check that is installed."""

from typing import Any

import click


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
        output.write("".join(_lines(rows)), None)
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


def _lines(rows: list[dict[str, Any]]) -> list[str]:
    """Aligned columns, the title last; ``fix`` where a remedy can be applied."""
    from pipedoctor.report.words import clean

    longest = max((len(one["name"]) for one in rows), default=0)
    return [
        f"{one['code']}  {one['name']:<{longest}}  {'fix' if one['can_fix'] else '   '}"
        f"  {clean(one['title'])} ({', '.join(one['needs'])})\n"
        for one in rows
    ]
