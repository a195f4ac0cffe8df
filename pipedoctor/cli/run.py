"""`pipedoctor run -- CMD`: run a command as it is, and explain why it died."""

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pipedoctor.explanation.model import Explanation

NOT_FOUND, NOT_RUN = 127, 126


@click.command("run", context_settings={"ignore_unknown_options": True})
@click.argument("argv", metavar="-- CMD...", nargs=-1, required=True)
@click.pass_context
def command(context: click.Context, /, argv: tuple[str, ...]) -> None:
    """
    Run CMD, your own code, and explain the error when it dies.

    Its output, terminal, signals and exit code are passed through.
    """
    if not sys.platform.startswith(("linux", "darwin")):
        message = "run: needs a POSIX system; pipe the output into `explain -` instead"
        raise click.UsageError(message)
    if not argv[0] or argv[0].startswith("-"):
        message = f"No such option '{argv[0]}'." if argv[0] else "CMD is empty."
        raise click.UsageError(message, context)
    from pipedoctor.launch.passing import run
    from pipedoctor.report.words import clean

    try:
        code, said = run(argv)
    except OSError as error:
        message = f"pipedoctor run: {clean(argv[0])}: {error.strerror}"
        click.echo(message, err=True)
        missing = isinstance(error, FileNotFoundError)
        context.exit(NOT_FOUND if missing else NOT_RUN)
    if code:
        click.echo(_explained(said, code), err=True, nl=False)
    context.exit(code)


def _worth_it(said: "Explanation") -> bool:
    """Ctrl-C alone needs no explanation to who pressed it."""
    fault = said.fault
    return bool(said.causes or (fault and fault.kind != "KeyboardInterrupt"))


def _explained(said: bytes, code: int) -> str:
    """What `explain` says of the output, and of the signal that ended the command."""
    from io import BytesIO

    from pipedoctor.attempt import Crash, attempt
    from pipedoctor.cli import output
    from pipedoctor.cli.inquiry import who
    from pipedoctor.collect.machine import Machine
    from pipedoctor.explanation.explain import explain
    from pipedoctor.explanation.text import render
    from pipedoctor.redact import Level, Redactor

    end = f"\nexit code {code}\n".encode()
    told = Redactor(Level.SECRETS if sys.stderr.isatty() else Level.ALL)
    told.meet(who(Machine()))
    done = attempt(lambda: explain(BytesIO(said + end), source="run", redactor=told))
    if isinstance(done, Crash) or not _worth_it(done.value):
        return ""
    colour = sys.stderr.isatty() and output.colours(None, no_color=False)
    return "\n" + render(done.value, width=output.width(), colour=colour)
