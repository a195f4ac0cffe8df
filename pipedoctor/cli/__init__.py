"""The command line: one file a command, loaded only when it is called."""

from pipedoctor.cli import startup  # isort: skip  (first: it covers the others)

import importlib
import sys
from typing import Any, NoReturn

import click

from pipedoctor import __version__
from pipedoctor.cli.streams import open_missing

COMMANDS = (
    "check",
    "fix",
    "explain",
    "report",
    "diff",
    "tune",
    "whatif",
    "run",
    "bench",
    "list",
)
USAGE, INTERRUPTED = 2, 130


class Commands(click.Group):
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
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; of one that does not exist, say which may be meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            told = error.message + _meant(args[0], self.list_commands(ctx))
            raise click.UsageError(told, ctx) from None

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """
        Run a command and end the process: what is wrong is said in one line.

        A reader that went away (``| head``) is no error and changes no exit code.
        """
        open_missing()
        try:
            code = super().main(*args, **{**extra, "standalone_mode": False}) or 0
            sys.stdout.flush()
        except click.Abort:
            code = INTERRUPTED
        except click.ClickException as error:
            code = error.exit_code
            _complain(error)
        except BrokenPipeError:
            from pipedoctor.cli.output import let_go

            code = 0
            let_go()
        except OSError as error:  # of help and version, which click writes
            code = USAGE
            _cannot_write(error)
        sys.exit(code)


def _meant(word: str, commands: list[str]) -> str:
    from pipedoctor.selection import suggestion

    close = suggestion(word.lower(), commands)
    return close.replace("; did", " Did") or f" There are {', '.join(commands)}."


def _cannot_write(error: OSError) -> None:
    from pipedoctor.cli.output import unwritten
    from pipedoctor.collect.files import why

    click.echo(f"pipedoctor: {unwritten(why(error))}", err=True)


def _complain(error: click.ClickException) -> None:
    from pipedoctor.masking import mask
    from pipedoctor.report.words import clean

    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "pipedoctor"
    click.echo(f"{path}: {clean(mask(error.format_message()))}", err=True)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pipedoctor")
def main() -> None:
    """The doctor for PyTorch data pipelines: what is wrong here, and the remedy."""


startup.over()
