"""`pipedoctor check`: examine this machine and report what is wrong, ranked."""

from typing import Any

import click
from click.core import ParameterSource

from pipedoctor.cli import INTERRUPTED
from pipedoctor.cli.options import ENV, NO_COLOR, NO_REDACT, OUTPUT, environment
from pipedoctor.cli.types import AT_LEAST_ONE, COUNT, PATH, SECONDS, SIZE, SOME, STEP

FAIL_ON = ("breaks", "risks", "slows", "note", "never")
FORMATS = ("text", "json", "markdown", "html", "sarif", "junit", "github")


@click.command("check")
@click.argument("paths", nargs=-1, type=PATH)
@click.option(
    "--data", multiple=True, type=PATH, metavar="DIR", help="Where the data set lies."
)
@environment("examine")
@ENV
@click.option(
    "--from",
    "record",
    type=PATH,
    metavar="FILE|-",
    help="Judge a report (JSON, HTML, .zip), or the text of torch.utils.collect_env as"
    " it was pasted, and nothing of this machine.",
)
@click.option(
    "--against",
    type=PATH,
    metavar="FILE",
    help="Compare the environment with requirements*.txt, environment.yml,"
    " pylock.toml, or the lock of uv, poetry, PDM, Pipenv or conda-lock.",
)
@click.option(
    "--verify-files",
    is_flag=True,
    help="Compare every installed file with what its package recorded.",
)
@click.option(
    "--measured",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="Take into account what `bench --format json` wrote.",
)
@click.option(
    "--measure",
    type=PATH,
    metavar="TARGET",
    help="Run this loader, file.py:callable or module:callable, and rank findings by"
    " what their remedies save. This is the one option that runs your code.",
)
@click.option(
    "--budget",
    type=SECONDS,
    help="Seconds for --measure, beside --deadline.  [default: 30]",
)
@click.option(
    "--step-seconds",
    type=STEP,
    help="With --measure: how long the consumer takes for a batch.",
)
@click.option(
    "--step",
    type=PATH,
    metavar="MODULE:CALLABLE",
    help="With --measure: the consumer itself.",
)
@click.option("--workers", type=COUNT, help="num_workers of the job's DataLoader.")
@click.option("--batch-bytes", type=SIZE, help="Bytes of one batch: 64M.")
@click.option("--prefetch", type=SOME, help="Its prefetch_factor.")
@click.option("--ranks", type=SOME, help="Training processes on this node.")
@click.option(
    "--pid",
    type=AT_LEAST_ONE,
    help="Judge the limits, groups, mounts and environment of this process.",
)
@click.option("--quick", is_flag=True, help="Only read: no torch, no disk probe.")
@click.option(
    "--deadline", type=SECONDS, help="Seconds for everything together.  [default: 15]"
)
@click.option(
    "-j", "--jobs", type=SOME, help="Processes that read code.  [default: auto]"
)
@click.option(
    "--cache-dir", type=PATH, metavar="DIR", help="Remember there what code was read."
)
@click.option("--no-cache", is_flag=True, help="Read all code anew.")
@click.option("--no-gitignore", is_flag=True, help="Read what git ignores, too.")
@click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERNS",
    help="Leave these out below PATHS, instead of the usual ones.",
)
@click.option(
    "--extend-exclude",
    multiple=True,
    metavar="PATTERNS",
    help="Leave these out as well.",
)
@click.option(
    "--stdin-filename",
    type=PATH,
    metavar="FILE",
    help="The name of the code that PATHS `-` reads from stdin.",
)
@click.option(
    "--select",
    multiple=True,
    metavar="NAMES",
    help="Only these checks: names, codes or beginnings of codes, with commas.",
)
@click.option("--ignore", multiple=True, metavar="NAMES", help="Not these checks.")
@click.option(
    "--baseline",
    type=PATH,
    metavar="FILE",
    help="Only findings in code that this file does not know.",
)
@click.option("--write-baseline", is_flag=True, help="Write that file: all known now.")
@click.option(
    "--diff",
    metavar="REV",
    help="Of code, only lines that changed since this revision; REV...: since the"
    " work on top of it began.",
)
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    help="Exit with 1 from this severity on.  [default: breaks]",
)
@click.option("--format", type=click.Choice(FORMATS), help="[default: text]")
@OUTPUT
@NO_REDACT
@click.option(
    "--keep",
    is_flag=True,
    help="Keep a copy for `diff --since` and `report --history`.",
)
@click.option(
    "--config", type=PATH, metavar="FILE", help="Read this configuration file."
)
@click.option("--no-config", is_flag=True, help="Read no configuration file.")
@click.option("-q", "--quiet", is_flag=True, help="One line a finding.")
@click.option("-v", "--verbose", is_flag=True, help="Reasons, sources, all checks.")
@NO_COLOR
@click.pass_context
def command(context: click.Context, /, **given: Any) -> None:
    """
    Examine this machine, its environment and the code in PATHS.

    Your code is read, never run, unless --measure names it.
    """
    from pipedoctor.cli import examination, output

    typed = {
        name: value
        for name, value in given.items()
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT
    }
    report, options, stopped = examination.conduct(typed)
    target = typed.get("output")
    output.write(examination.render(report, options, target), target)
    examination.mention_broken(report)
    if options.keep and not (options.no_redact or typed.get("record")):
        from pipedoctor.cli import kept
        from pipedoctor.report import json

        kept.keep(report, json.render(report))
    context.exit(INTERRUPTED if stopped else examination.exit_code(report, options))
