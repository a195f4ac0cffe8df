"""`pipedoctor report`: the attachment for a bug ticket."""

import time
from typing import Any

import click

from pipedoctor.cli.check import command as check
from pipedoctor.cli.formats import DEFAULT_ATTACHMENT, Subject, list_formats
from pipedoctor.cli.request.option_types import PATH

_CHECK_ONLY_OPTIONS = frozenset(
    (
        *("fail_on", "format", "output", "no_redact", "quiet", "verbose", "no_color"),
        *("baseline", "write_baseline", "diff", "keep"),
        *("fleet_dir", "probe", "statistics", "fix", "yes"),
    )
)


@click.command("report")
@click.option(
    "--format",
    "form",
    type=click.Choice(list_formats(Subject.ATTACHMENT, DEFAULT_ATTACHMENT)),
    help="Output format.  [default: what -o ends with, else markdown]",
)
@click.option("--all", "everything", is_flag=True, help="All formats in one .zip, with checksums.")
@click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="FILE",
    help="Write to this file.  [default: pipedoctor-report-DATE.md]",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--copy", is_flag=True, help="Print the Markdown; write no file.")
@click.option("--no-redact", is_flag=True, help="Do not redact; such a report is not saved.")
@click.option("--no-keep", is_flag=True, help="Do not save a copy for --history.")
@click.option("--history", is_flag=True, help="List the saved reports.")
@click.option(
    "--unredact",
    type=PATH,
    metavar="FILE",
    help="Replace this machine's aliases with the real names.",
)
@click.option(
    "--issue-template",
    is_flag=True,
    help="Print a GitHub issue form that asks for a report.",
)
@click.pass_context
def command(context: click.Context, /, **parameters: Any) -> None:
    """
    Examine as `check` does and write an attachment for a bug ticket.

    Names, home folders, hosts, addresses, project folders and secrets are replaced.
    The name of the written file is printed.
    """
    from pipedoctor.cli.actions import report_attachment
    from pipedoctor.cli.request import requests

    own = requests.drop_defaults(context, parameters)
    request = requests.build_report_request(own)
    context.exit(report_attachment.run_report(request, context.obj or time.monotonic()))


command.params[:0] = [p for p in check.params if p.name not in _CHECK_ONLY_OPTIONS]
