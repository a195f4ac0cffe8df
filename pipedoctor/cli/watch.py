"""`pipedoctor watch PID`: what a running job waits for, from outside."""

from typing import Any

import click

from pipedoctor.cli import startup
from pipedoctor.cli.formats import Subject, list_formats
from pipedoctor.cli.request.option_types import PATH, FiniteRange, SecondsRange
from pipedoctor.cli.request.options import (
    NO_COLOR_OPTION,
    NO_REDACT_OPTION,
    OUTPUT_OPTION,
    format_option,
)

_PORT = click.IntRange(min=0, max=65535)
_INTERVAL = SecondsRange(min=0.1, max=3600)
_SECONDS = FiniteRange(min=0.1, max=10**8)


@click.command("watch")
@click.argument("pid", type=click.IntRange(min=1), required=False)
@click.option(
    "--all", "every", is_flag=True, help="Show every torch job of this user, one line each."
)
@click.option(
    "--seconds",
    type=_SECONDS,
    metavar="N",
    help="Stop after this time, with a report (default: when the job ends, or Ctrl-C).",
)
@click.option(
    "--interval",
    type=_INTERVAL,
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="Seconds between two lines.",
)
@click.option("--record", type=PATH, metavar="FILE", help="Record the observations for --replay.")
@click.option("--replay", type=PATH, metavar="FILE", help="Replay a recording and judge it again.")
@click.option(
    "--prometheus",
    type=_PORT,
    metavar="PORT",
    help="Serve metrics on this port of the loopback interface.",
)
@click.option(
    "--prometheus-address",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Serve metrics on this address instead.",
)
@click.option(
    "--no-stacks", is_flag=True, help="Do not read stacks; use only the kernel's counters."
)
@click.option(
    "--inject",
    is_flag=True,
    help="Put exact clocks into the job while it is watched (CPython 3.14 and newer).",
)
@format_option(list_formats(Subject.REPORT))
@OUTPUT_OPTION
@NO_REDACT_OPTION
@click.option("-q", "--quiet", is_flag=True, help="Print only the report.")
@click.option("-v", "--verbose", is_flag=True, help="Show reasons, sources and all checks.")
@NO_COLOR_OPTION
@click.pass_context
def command(context: click.Context, /, **parameters: Any) -> None:
    """
    Watch the job of PID from outside: the slow line, the scarce resource, the possible gain.

    The job is not stopped, and not changed without --inject: stacks are read from memory, the
    rest from /proc. The report comes at the end; after 5 s every line has a verdict.
    """
    startup.import_msgspec()
    from pipedoctor.cli.request.requests_watch import WatchRequest

    request = WatchRequest(**parameters)
    if sum((request.pid is not None, request.every, request.replay is not None)) != 1:
        message = "give one of PID, --all and --replay FILE"
        raise click.UsageError(message)
    from pipedoctor.cli.actions import watch_output

    context.exit(watch_output.run_watch(request))
