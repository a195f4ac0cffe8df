"""`pipedoctor run -- CMD`: run a command as it is, and explain why it died."""

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli.request.job_options import add_job_options
from pipedoctor.cli.request.option_types import PATH, FiniteRange

if TYPE_CHECKING:
    from pipedoctor.cli.request.requests_watch import RunRequest
    from pipedoctor.facts import Facts

_PORT = click.IntRange(min=0, max=65535)
_SECONDS = FiniteRange(min=0.1, max=10**8)
NOT_FOUND_CODE, NOT_RUNNABLE_CODE = 127, 126


@click.command(
    "run",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option("-q", "--quiet", is_flag=True, help="Print no verdict at the end.")
@click.option(
    "--record", type=PATH, metavar="FILE", help="Record the observations for `watch --replay`."
)
@click.option(
    "--seconds", type=_SECONDS, metavar="N", help="Watch for this long; the command continues."
)
@click.option(
    "--interval", type=_SECONDS, default=1.0, metavar="SECONDS", help="Seconds between two records."
)
@click.option("--prometheus", type=_PORT, metavar="PORT", help="Serve metrics on this port.")
@add_job_options(pid=False)
@click.option(
    "--inside",
    is_flag=True,
    help="Time its DataLoaders exactly, with a sitecustomize module on its PYTHONPATH.",
)
@click.argument("argv", metavar="-- CMD...", nargs=-1, required=True)
@click.pass_context
def command(context: click.Context, /, **parameters: Any) -> None:
    """
    Run CMD, your own code; report what it waited for, or why it failed.

    Its output, terminal, signals and exit code are passed through. A job that uses
    torch is watched meanwhile, as by `watch`.
    """
    if not sys.platform.startswith(("linux", "darwin")):
        message = "run: needs a POSIX system; pipe the output into `explain -` instead"
        raise click.UsageError(message)
    from pipedoctor.cli.request.job_request import take_job
    from pipedoctor.cli.request.requests_watch import RunRequest

    request = RunRequest(job=take_job(parameters), **parameters)
    argv = request.argv
    if not argv[0] or argv[0].startswith("-"):
        message = f"No such option '{argv[0]}'." if argv[0] else "CMD is empty."
        raise click.UsageError(message, context)
    from pipedoctor.cli.actions.run_explanation import explain_output
    from pipedoctor.report.sentences import clean_text

    _refuse_dead_program(context, argv[0])
    if request.inside:
        from pipedoctor.cli.actions.program_paths import refuse_dead_paths

        refuse_dead_paths(context)  # its clocks lie in TMPDIR
    if request.job.is_known:
        request.job.build_inquiry()  # what is not there is said before the command starts
    kills = _count_oom_kills()
    try:
        code, tail, verdict, seen = _run_and_judge(request)
    except OSError as error:
        message = f"pipedoctor run: {clean_text(argv[0])}: {error.strerror}"
        click.echo(message, err=True)
        missing = isinstance(error, FileNotFoundError)
        context.exit(NOT_FOUND_CODE if missing else NOT_RUNNABLE_CODE)
    if code:
        risen = None if kills is None else _count_oom_kills() != kills
        explanation = explain_output(tail, code, argv, request.job, seen, ran_out=risen)
        click.echo(explanation, err=True, nl=False)
    if verdict:
        click.echo(verdict, err=True, nl=False)
    context.exit(code)


def _count_oom_kills() -> int | None:
    """Processes that the kernel has ended for want of memory until now; None: it does not say."""
    if sys.platform != "linux":
        return None
    from pipedoctor.collect.machine import Machine
    from pipedoctor.collect.system.oom_kills import count_oom_kills

    return count_oom_kills(Machine())


def _refuse_dead_program(context: click.Context, name: str) -> None:
    """
    End with a line where looking for the program hangs; what is wrong else is said later.

    A program is looked for in every folder of PATH until it is found.
    """
    import shutil

    from pipedoctor.facts import UnreadableError
    from pipedoctor.report.sentences import clean_text
    from pipedoctor.runtime import files

    try:
        files.run_with_timeout(name, lambda _: bool(shutil.which(name)))
    except files.FileTimeoutError as error:
        click.echo(f"pipedoctor run: {clean_text(name)}: {clean_text(str(error))}", err=True)
        context.exit(NOT_RUNNABLE_CODE)
    except UnreadableError:
        return


def _run_and_judge(request: "RunRequest") -> "tuple[int, bytes, str, Facts | None]":
    """The exit code, the end of the output, what it waited for, and what was seen of it."""
    from pipedoctor.cli.actions.run_inside import open_clocks
    from pipedoctor.cli.actions.run_verdict import watch_command
    from pipedoctor.cli.terminal.passthrough import run_passthrough

    with watch_command(request) as watch:
        if not request.inside:
            code, tail = run_passthrough(request.argv, watch.start)
            verdict = watch.write_verdict()
            return code, tail, verdict, watch.facts
        with open_clocks() as clocks:
            environment = clocks.build_environment(os.environ)
            code, tail = run_passthrough(request.argv, watch.start, environment)
            verdict = watch.write_verdict()
            verdict = "" if request.quiet else verdict + clocks.describe_figures()
            return code, tail, verdict, watch.facts
