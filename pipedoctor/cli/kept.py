"""The reports that are kept on this machine: one more, and the list of them."""

import datetime as dt

import click

from pipedoctor import history
from pipedoctor.cli import output
from pipedoctor.legible import indented
from pipedoctor.report.model import Report
from pipedoctor.report.words import clean


def keep(report: Report, json: bytes) -> None:
    """Keep it, or say on stderr in one line why not."""
    worst = report.worst()
    now = dt.datetime.now(tz=dt.timezone.utc)
    try:
        history.keep(json, worst.name.lower() if worst is not None else "", now)
    except history.Unkept as error:
        click.echo(f"pipedoctor: the report was not kept: {clean(error)}", err=True)


def forgo(trouble: str, *, keeps: bool) -> None:
    """Say that nothing could be remembered, where that was already found out."""
    also = ", and it is not kept" if keeps else ""
    told = f"aliases are for this report alone{also}: {clean(trouble)}"
    click.echo(f"pipedoctor: {told}", err=True)


def show(form: str | None) -> None:
    """List them, newest first: when, the gravest finding, where."""
    kept = history.entries()
    if form == "json":
        rows = [{"when": k.when, "worst": k.worst, "path": str(k.path)} for k in kept]
        whole = {"schema": "pipedoctor.history/1", "reports": rows}
        output.write(indented(whole), None)
        return
    lines = [
        f"{k.when:%Y-%m-%d %H:%M:%S}Z  {k.worst:<6}  {clean(k.path)}\n" for k in kept
    ]
    none = "no report is kept here yet: `pipedoctor report` keeps one\n"
    output.write("".join(lines) or none, None)
