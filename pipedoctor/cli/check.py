"""`pipedoctor check`: examine this machine and report what is wrong, ranked."""

import math
import time
from typing import Any

import click

from pipedoctor.cli import INTERRUPTED_CODE
from pipedoctor.cli.actions.quiet import add_wait_options, wait_as_asked
from pipedoctor.cli.formats import Subject, list_formats
from pipedoctor.cli.request.option_types import (
    AT_LEAST_ONE,
    COUNT,
    PATH,
    POSITIVE_COUNT,
    SECONDS,
    SIZE,
    STEP_SECONDS,
)
from pipedoctor.cli.request.options import (
    ENV_OPTION,
    NO_COLOR_OPTION,
    NO_REDACT_OPTION,
    OUTPUT_OPTION,
    environment_option,
)

FAIL_ON = ("breaks", "risks", "slows", "note", "never")


@click.command("check")
@click.argument("paths", nargs=-1, type=PATH)
@click.option("--data", multiple=True, type=PATH, metavar="DIR", help="Path to the dataset.")
@environment_option("examine")
@ENV_OPTION
@click.option(
    "--from",
    "record",
    type=PATH,
    metavar="FILE|-",
    help="Judge a saved report (JSON, HTML, .zip) or the output of"
    " torch.utils.collect_env instead of this machine.",
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
    help="Compare every installed file with the record of its package.",
)
@click.option(
    "--measured",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="Use the measurements in this file, written by `bench --format json`.",
)
@click.option(
    "--measure",
    type=PATH,
    metavar="TARGET",
    help="Run this loader, file.py:callable or module:callable, and rank findings by"
    " the time their remedies save. Only this option runs your code.",
)
@click.option(
    "--budget",
    type=SECONDS,
    help="Seconds for --measure, in addition to --deadline.  [default: 30]",
)
@click.option(
    "--step-seconds",
    type=STEP_SECONDS,
    help="With --measure: seconds the consumer takes per batch.",
)
@click.option(
    "--step",
    type=PATH,
    metavar="MODULE:CALLABLE",
    help="With --measure: the consumer, called with every batch.",
)
@add_wait_options
@click.option("--workers", type=COUNT, help="num_workers of the job's DataLoader.")
@click.option("--batch-bytes", type=SIZE, help="Size of one batch, such as 64M.")
@click.option("--prefetch", type=POSITIVE_COUNT, help="prefetch_factor of that DataLoader.")
@click.option("--ranks", type=POSITIVE_COUNT, help="Training processes on this node.")
@click.option(
    "--pid",
    type=AT_LEAST_ONE,
    help="Judge the limits, cgroups, mounts and environment of this process.",
)
@click.option("--quick", is_flag=True, help="Read only: no import of torch, no disk probe.")
@click.option(
    "--deadline", type=SECONDS, help="Time limit for the whole command, in seconds.  [default: 15]"
)
@click.option(
    "-j",
    "--jobs",
    type=POSITIVE_COUNT,
    help="Number of processes that read code.  [default: auto]",
)
@click.option("--cache-dir", type=PATH, metavar="DIR", help="Cache directory for parsed code.")
@click.option("--no-cache", is_flag=True, help="Do not use the cache of parsed code.")
@click.option("--no-gitignore", is_flag=True, help="Also read files that git ignores.")
@click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERNS",
    help="Exclude these below PATHS, instead of the defaults.",
)
@click.option(
    "--extend-exclude",
    multiple=True,
    metavar="PATTERNS",
    help="Exclude these in addition to the defaults.",
)
@click.option(
    "--stdin-filename",
    type=PATH,
    metavar="FILE",
    help="File name of the code read from stdin (PATHS `-`).",
)
@click.option(
    "--select",
    multiple=True,
    metavar="NAMES",
    help="Run only these checks: names, codes or code prefixes, comma-separated.",
)
@click.option("--ignore", multiple=True, metavar="NAMES", help="Skip these checks.")
@click.option(
    "--baseline",
    type=PATH,
    metavar="FILE",
    help="Report only findings in code that are not in this baseline.",
)
@click.option("--write-baseline", is_flag=True, help="Save current findings as the baseline.")
@click.option(
    "--diff",
    metavar="REV",
    help="Report only findings on lines changed since this revision; REV...: since the merge base.",
)
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    help="Exit with 1 at this severity or above.  [default: breaks]",
)
@click.option(
    "--format",
    type=click.Choice(list_formats(Subject.REPORT)),
    help="Output format.  [default: text]",
)
@OUTPUT_OPTION
@NO_REDACT_OPTION
@click.option(
    "--keep",
    is_flag=True,
    help="Save a copy for `diff --since` and `report --history`.",
)
@click.option(
    "--fleet-dir",
    type=PATH,
    metavar="FOLDER|URL",
    help="Write this node's report to this folder, for `fleet show`; one per node, not per rank.",
)
@click.option(
    "--probe",
    is_flag=True,
    help="With --fleet-dir: measure decoding, memory and copies to the GPU, for a few seconds.",
)
@click.option("--config", type=PATH, metavar="FILE", help="Read this configuration file.")
@click.option("--no-config", is_flag=True, help="Read no configuration file.")
@click.option("--statistics", is_flag=True, help="Count findings per check.")
@click.option(
    "--fix",
    is_flag=True,
    help="After the report apply remedies marked [fix]: shows the plan and asks first.",
)
@click.option("-y", "--yes", is_flag=True, help="With --fix: do not ask.")
@click.option("-q", "--quiet", is_flag=True, help="One line per finding.")
@click.option("-v", "--verbose", is_flag=True, help="Show reasons, sources and all checks.")
@NO_COLOR_OPTION
@click.pass_context
def command(context: click.Context, /, **parameters: Any) -> None:
    """
    Examine this machine, its environment and the code in PATHS.

    Your code is read, never run, except by --measure.
    """
    from pipedoctor.cli.actions import check_output
    from pipedoctor.cli.request import requests
    from pipedoctor.cli.terminal import output
    from pipedoctor.runtime import files

    request = requests.build_check_request(requests.drop_defaults(context, parameters))
    check_output.refuse_mixed_options(request)
    if request.measure:
        wait_as_asked(context)
    began: float = context.obj or time.monotonic()
    if request.fleet_dir or request.probe:
        from pipedoctor.cli.actions import fleet_report

        context.exit(fleet_report.write_node_report(request, began))
    report, options, stopped = check_output.run_check(request, began=began)
    target = request.output
    with files.answer_by(math.inf if request.measure else began + options.deadline):
        output.write_output(check_output.render_request(report, options, request), target)
        check_output.report_broken_packs(report)
        if options.keep and not (options.no_redact or request.record):
            from pipedoctor.cli.actions import kept_reports
            from pipedoctor.report import json

            kept_reports.keep_report(report, json.render(report))
    if request.fix and not stopped:
        from pipedoctor.cli import check_fix

        context.exit(check_fix.apply_marked(report, options, request))
    measured = bool(request.measure)
    code = check_output.choose_exit_code(report, options, measured=measured)
    context.exit(INTERRUPTED_CODE if stopped else code)
