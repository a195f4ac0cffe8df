"""The command line: one file a command, loaded only when it is called."""

import importlib

import click

from pipedoctor import __version__

COMMANDS = ("check", "fix", "explain", "list")


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


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pipedoctor")
def main() -> None:
    """The doctor for PyTorch data pipelines: what is wrong here, and the remedy."""
