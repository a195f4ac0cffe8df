"""The reports that are kept on this machine: one more, and the list of them."""

import datetime as dt

import click

from pipedoctor.cli.terminal import output
from pipedoctor.report import archive
from pipedoctor.report.model import Report
from pipedoctor.report.sentences import clean_text
from pipedoctor.runtime import files
from pipedoctor.textsafe import encode_indented_json


def keep_report(report: Report, json: bytes) -> None:
    """Keep it, or say on stderr in one line why not."""
    worst = report.worst_severity()
    now = dt.datetime.now(tz=dt.timezone.utc)
    try:
        archive.save_report(json, worst.name.lower() if worst is not None else "", now)
    except archive.ArchiveError as error:
        click.echo(f"pipedoctor: report not saved: {clean_text(error)}", err=True)


def report_not_kept(trouble: str, *, keeps: bool) -> None:
    """Report on stderr that aliases, and perhaps the report, could not be stored."""
    also = ", and the report is not saved" if keeps else ""
    told = f"aliases are valid for this report only{also}: {clean_text(trouble)}"
    click.echo(f"pipedoctor: {told}", err=True)


def find_reports(option: str) -> list[archive.ArchivedReport]:
    """Every kept report, newest first; raises UsageError where nobody can say."""
    try:
        return archive.list_reports()
    except files.FileTimeoutError as error:
        message = f"{option}: the saved reports cannot be read: {error}"
        raise click.UsageError(message) from None


def list_reports(form: str | None) -> None:
    """List them, newest first: when, the gravest finding, where; raises UsageError."""
    kept = find_reports("--history")
    if form == "json":
        rows = [{"when": k.created, "worst": k.worst_severity, "path": str(k.path)} for k in kept]
        whole = {"schema": "pipedoctor.history/1", "kind": "reports", "reports": rows}
        output.write_output(encode_indented_json(whole), None)
        return
    lines = [
        f"{k.created:%Y-%m-%d %H:%M:%S}Z  {k.worst_severity:<6}  {clean_text(k.path)}\n"
        for k in kept
    ]
    none = "no report is saved yet: `pipedoctor report` saves one\n"
    output.write_output("".join(lines) or none, None)
