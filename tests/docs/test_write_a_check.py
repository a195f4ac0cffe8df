"""The reference says what the program does, and its examples work."""

import re
import sys
from pathlib import Path

import click
import msgspec
import pytest

from pipedoctor.cli import COMMANDS, main
from pipedoctor.cli.request.check_options import CheckOptions, CommandLineOptions
from pipedoctor.cli.request.config import merge_config
from pipedoctor.cli.request.config_files import ConfigFile
from pipedoctor.engine.catalogue import get_catalogue

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DOCS = Path(__file__).parents[2] / "docs"
CONFIGURATION = (DOCS / "reference" / "configuration.md").read_text("utf-8")
COMMAND_LINE = (DOCS / "reference" / "command-line.md").read_text("utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_described(command: str) -> None:
    assert f"## pipedoctor {command}\n\n<!-- help: {command} -->\n\n```text\nUsage: " in (
        COMMAND_LINE
    )


def test_every_option_that_is_mentioned_exists() -> None:
    known = {"--version"}
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        below = command.commands.values() if isinstance(command, click.Group) else ()
        for parameter in (one for each in (command, *below) for one in each.params):
            known |= {*parameter.opts, *parameter.secondary_opts}
    prose = re.sub(r"```text.*?```", "", COMMAND_LINE + CONFIGURATION, flags=re.DOTALL)

    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", prose)) <= known


def test_every_key_of_the_configuration_is_described() -> None:
    keys = {field.encode_name for field in msgspec.structs.fields(CheckOptions)}
    table = re.search(r"\| key \| type \|.*?\n\n", CONFIGURATION, re.DOTALL)
    assert table is not None

    described = {
        key
        for row in table[0].strip().splitlines()[2:]
        for key in re.findall("`([^`]+)`", row.split("|")[1])
    }

    assert described == keys


@pytest.mark.parametrize("example", re.findall(r"```toml\n(.*?)```", CONFIGURATION, re.DOTALL))
def test_every_example_is_accepted(example: str) -> None:
    table = tomllib.loads(example)["tool"]["pipedoctor"]
    plain = msgspec.json.decode(msgspec.json.encode(table))

    merge_config(
        ConfigFile(path="/x/pyproject.toml", table=plain), CommandLineOptions(), get_catalogue
    )


def test_the_picture_shows_a_report() -> None:
    picture = (DOCS / "picture.svg").read_text("utf-8")

    assert "BREAKS" in picture
    assert "--shm-size=" in picture
