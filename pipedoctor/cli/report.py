"""`pipedoctor report`: the attachment for a bug ticket."""

from typing import Any

import click
from click.core import ParameterSource

from pipedoctor.cli.check import command as check
from pipedoctor.cli.types import PATH

FORMATS = ("markdown", "json", "html", "zip")
_OF_CHECK_ALONE = frozenset(
    (
        *("fail_on", "format", "output", "no_redact", "quiet", "verbose", "no_color"),
        *("baseline", "write_baseline", "diff", "keep"),
    )
)


@click.command("report")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="[default: what -o ends with, else markdown]",
)
@click.option(
    "--all", "everything", is_flag=True, help="All formats in one .zip, with checksums."
)
@click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="FILE",
    help="Write there.  [default: pipedoctor-report-DATE.md]",
)
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@click.option("--copy", is_flag=True, help="Print the Markdown, and write no file.")
@click.option(
    "--no-redact", is_flag=True, help="Leave names, paths and secrets in; not kept."
)
@click.option("--no-keep", is_flag=True, help="Keep no copy for --history.")
@click.option("--history", is_flag=True, help="List the reports that were kept.")
@click.option(
    "--unredact",
    type=PATH,
    metavar="FILE",
    help="Put the names back that this machine's aliases stand for.",
)
@click.option(
    "--issue-template",
    is_flag=True,
    help="Print a GitHub issue form that asks for a report.",
)
@click.pass_context
def command(context: click.Context, /, **given: Any) -> None:
    """
    Examine as `check` does and write the attachment for a bug ticket.

    Names, homes, hosts, addresses, folders of projects and secrets are replaced.
    The name of the file that was written is printed.
    """
    from pipedoctor.cli import attachment

    typed = {
        name: value
        for name, value in given.items()
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT
    }
    context.exit(attachment.serve(typed))


command.params[:0] = [p for p in check.params if p.name not in _OF_CHECK_ALONE]
