"""Options that several commands have, each worded once."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from pipedoctor.cli.request.option_types import PATH

F = TypeVar("F", bound="Callable[..., Any] | click.Command")

OUTPUT_OPTION = click.option(
    "-o", "--output", type=PATH, metavar="FILE", help="Write to this file instead of stdout."
)
NO_REDACT_OPTION = click.option("--no-redact", is_flag=True, help="Do not redact.")
NO_COLOR_OPTION = click.option("--no-color", is_flag=True, help="Disable colors, as NO_COLOR does.")
ENV_OPTION = click.option(
    "--env", type=PATH, metavar="PREFIX", help="Folder of that environment, instead of --python."
)


def python_option(what: str) -> "Callable[[F], F]":
    """``--python``: whose environment it names, in words."""
    return click.option("--python", type=PATH, metavar="EXE", help=what)


def environment_option(purpose: str) -> "Callable[[F], F]":
    """``--python`` where the active environment is meant without it."""
    usual = " (default: $VIRTUAL_ENV, $CONDA_PREFIX, python on PATH)."
    return python_option(f"Interpreter of the environment to {purpose}{usual}")


def format_option(formats: Sequence[str]) -> "Callable[[F], F]":
    """``--format`` of a command that writes text without it."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(formats),
        default="text",
        help="Output format.  [default: text]",
    )
