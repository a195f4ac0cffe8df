"""The command line: one file a command, loaded only when it is called."""

from pipedoctor.cli import startup  # isort: skip  (first: it covers the others)

import importlib
import sys
from typing import Any, NoReturn

import click

from pipedoctor.cli.terminal.standard_streams import open_missing, tolerate_full_stderr
from pipedoctor.version import __version__

COMMANDS = {
    "check": "Examine this machine, its environment and the code in PATHS.",
    "fix": "Fix findings of this machine or of code, with proof and undo.",
    "explain": "Name the cause in an error log, or show the page of a check.",
    "report": "Examine as `check` does and write an attachment for a bug ticket.",
    "diff": "Compare machines and environments, most likely culprit first.",
    "fleet": "Compare the reports of many nodes and find outliers.",
    "tune": "Measure a loader to find its best DataLoader arguments.",
    "whatif": "Predict the throughput with another setting or machine.",
    "watch": "Watch a running job from outside: what it waits for.",
    "run": "Run your command; report what it waited for or why it failed.",
    "bench": "Measure one stage: decoding, storage, a loader, GPU transfer.",
    "list": "List every check.",
}
"""Each with its line in `--help`, which imports no command to show it."""
USAGE_ERROR_CODE, INTERRUPTED_CODE = 2, 130


class LazyGroup(click.Group):
    """A group whose commands live in modules of their own name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of a first visit."""
        return [*COMMANDS, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command that was asked for, and no other."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module = importlib.import_module(f"pipedoctor.cli.{cmd_name}")
        command = module.command
        assert isinstance(command, click.Command)  # noqa: S101  (our own modules)
        command.short_help = COMMANDS[cmd_name]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands for `--help`."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; of one that does not exist, say which may be meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            told = error.message + _suggest_command(args[0], self.list_commands(ctx))
            raise click.UsageError(told, ctx) from None

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """
        Run a command and end the process; an error is reported in one line.

        A reader that went away (``| head``) is no error and changes no exit code.
        """
        extra.setdefault("obj", startup.find_start())
        _prepare_streams()
        try:
            code = super().main(*args, **{**extra, "standalone_mode": False}) or 0
            sys.stdout.flush()
        except click.Abort:
            code = INTERRUPTED_CODE
        except click.ClickException as error:
            code = error.exit_code
            _report_click_error(error)
        except BrokenPipeError:
            from pipedoctor.cli.terminal.output import redirect_stdout_to_null

            code = 0
            redirect_stdout_to_null()
        except OSError as error:  # of help and version, which click writes
            code = USAGE_ERROR_CODE
            _report_write_error(error)
        sys.exit(code)


def _prepare_streams() -> None:
    try:
        open_missing()
    except OSError as error:
        if sys.stderr is not None:
            click.echo(f"pipedoctor: {error.filename}: {error.strerror}", err=True)
        sys.exit(USAGE_ERROR_CODE)
    tolerate_full_stderr()


def _suggest_command(word: str, commands: list[str]) -> str:
    from pipedoctor.engine.selection import suggest_name

    close = suggest_name(word.lower(), commands)
    return close.replace("; did", " Did") or f" There are {', '.join(commands)}."


def _report_write_error(error: OSError) -> None:
    from pipedoctor.cli.terminal.output import abandon_stdout
    from pipedoctor.runtime.files import describe_error

    click.echo(f"pipedoctor: {abandon_stdout(describe_error(error))}", err=True)


def _report_click_error(error: click.ClickException) -> None:
    from pipedoctor.privacy.secrets.search import mask_secrets
    from pipedoctor.report.sentences import clean_text

    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "pipedoctor"
    click.echo(f"{path}: {clean_text(mask_secrets(error.format_message()))}", err=True)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pipedoctor")
def main() -> None:
    """The doctor for PyTorch data pipelines: what is wrong here, and the remedy."""


startup.restore_interrupts()
