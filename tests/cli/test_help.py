"""`--help` of every command: what a stranger reads first."""

from collections.abc import Iterator

import click
import pytest

from pipedoctor.cli import main


def walk_commands(
    command: click.Command, parent: click.Context | None = None
) -> Iterator[click.Context]:
    """The command and all below it, each in the context of its call."""
    context = click.Context(command, parent, info_name=command.name)
    yield context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below
            yield from walk_commands(below, context)


CONTEXTS = tuple(walk_commands(main))


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda context: context.command_path)
def test_every_option_says_what_it_does(context: click.Context) -> None:
    options = [one for one in context.command.params if isinstance(one, click.Option)]

    assert not [
        one.opts for one in options if not (one.help or "").partition("[default")[0].strip()
    ]


@pytest.mark.parametrize(
    "context",
    [one for one in CONTEXTS if isinstance(one.command, click.Group)],
    ids=lambda context: context.command_path,
)
def test_commands_are_listed_with_whole_sentences(context: click.Context) -> None:
    commands = context.get_help().partition("Commands:\n")[2].splitlines()

    assert commands
    assert not [line for line in commands if not line.endswith(".")]
    assert not [line for line in commands if line.endswith("...")]
