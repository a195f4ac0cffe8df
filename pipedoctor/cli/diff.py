"""`pipedoctor diff`: what differs between machines, the likeliest culprit first."""

import time
from typing import Any

import click

from pipedoctor.cli.formats import Subject, list_formats
from pipedoctor.cli.request.option_types import PATH, SECONDS
from pipedoctor.cli.request.options import (
    ENV_OPTION,
    NO_COLOR_OPTION,
    NO_REDACT_OPTION,
    OUTPUT_OPTION,
    format_option,
    python_option,
)

NOTHING_COMPARED = 3


@click.command("diff")
@click.argument("sides", nargs=-1, type=PATH, metavar="A B [C]...")
@click.option(
    "--since",
    metavar="WHEN",
    help="Compare this machine with its saved report of that time: last, yesterday,"
    " `2 days ago`, 2026-11-20, `2026-11-20 14:30`.",
)
@click.option(
    "--select",
    multiple=True,
    metavar="SECTIONS",
    help="Compare only these sections of the reports, such as packages,shm.",
)
@click.option("--ignore", multiple=True, metavar="SECTIONS", help="Do not compare these sections.")
@click.option("--quick", is_flag=True, help="For `here`: read only, no import of torch, no probe.")
@python_option("For `here`: the interpreter to examine.")
@ENV_OPTION
@click.option(
    "--deadline",
    type=SECONDS,
    default=15.0,
    help="Time limit for the whole command, in seconds.  [default: 15]",
)
@format_option(list_formats(Subject.DIFF))
@OUTPUT_OPTION
@NO_REDACT_OPTION
@click.option("-q", "--quiet", is_flag=True, help="One line per difference.")
@click.option(
    "-v", "--verbose", is_flag=True, help="Also show folded differences and unknown facts."
)
@NO_COLOR_OPTION
@click.pass_context
def command(context: click.Context, /, **parameters: Any) -> None:
    """
    Compare machines and environments, most likely culprit first.

    A, B and more are JSON reports, redacted or not, report archives (.zip), output of
    torch.utils.collect_env and similar tools, environment.yml, requirements*.txt,
    pylock.toml or uv.lock, `-` for stdin, or the word `here` for the current state of this machine.
    """
    from pipedoctor.cli.actions import diff_output
    from pipedoctor.cli.request.requests import DiffRequest
    from pipedoctor.cli.terminal import output

    request = DiffRequest(**parameters)
    diff = diff_output.run_diff(request, context.obj or time.monotonic())
    output.write_output(diff_output.render_diff(diff, request), request.output)
    if not diff.is_comparable:
        context.exit(NOTHING_COMPARED)
    context.exit(int(bool(diff.differences)))
