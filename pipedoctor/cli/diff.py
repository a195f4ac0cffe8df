"""`pipedoctor diff`: what differs between machines, the likeliest culprit first."""

from typing import Any

import click

from pipedoctor.cli.options import ENV, NO_COLOR, NO_REDACT, OUTPUT, form, python
from pipedoctor.cli.types import PATH, SECONDS

FORMATS = ("text", "json", "markdown", "html")
NOTHING_COMPARED = 3


@click.command("diff")
@click.argument("sides", nargs=-1, type=PATH, metavar="A B [C]...")
@click.option(
    "--since",
    metavar="WHEN",
    help="Compare this machine with its kept report of then: last, yesterday,"
    " `2 days ago`, 2026-11-20, `2026-11-20 14:30`.",
)
@click.option(
    "--select",
    multiple=True,
    metavar="SECTIONS",
    help="Only these sections of a report: packages,shm.",
)
@click.option("--ignore", multiple=True, metavar="SECTIONS", help="Not these.")
@click.option("--quick", is_flag=True, help="Of `here` only read: no torch, no probe.")
@python("Interpreter to examine for `here`.")
@ENV
@click.option(
    "--deadline",
    type=SECONDS,
    default=15.0,
    help="Seconds for `here`.  [default: 15]",
)
@form(FORMATS)
@OUTPUT
@NO_REDACT
@click.option("-q", "--quiet", is_flag=True, help="One line a difference.")
@click.option("-v", "--verbose", is_flag=True, help="What was folded and unknown, too.")
@NO_COLOR
@click.pass_context
def command(context: click.Context, /, sides: tuple[str, ...], **given: Any) -> None:
    """
    Compare machines and environments, the likeliest culprit first.

    A, B and more are JSON reports, redacted or not, report archives (.zip), texts of
    torch.utils.collect_env and its like, environment.yml, requirements*.txt,
    pylock.toml or uv.lock, `-` for stdin, or the word `here` for this machine, now.
    """
    from pipedoctor.cli import comparison, output

    diff = comparison.conduct(sides, given)
    target = given["output"]
    output.write(comparison.render(diff, given), target)
    if not diff.comparable:
        context.exit(NOTHING_COMPARED)
    context.exit(int(bool(diff.differences)))
