"""Options that several commands have, each worded once."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from pipedoctor.cli.types import PATH

F = TypeVar("F", bound="Callable[..., Any] | click.Command")

OUTPUT = click.option(
    "-o", "--output", type=PATH, metavar="FILE", help="Write there, not to stdout."
)
NO_REDACT = click.option(
    "--no-redact", is_flag=True, help="Leave names and secrets in."
)
NO_COLOR = click.option(
    "--no-color", is_flag=True, help="No colours, as with NO_COLOR."
)
ENV = click.option(
    "--env", type=PATH, metavar="PREFIX", help="The same, by the environment's folder."
)


def python(what: str) -> "Callable[[F], F]":
    """``--python``: whose environment it names, in words."""
    return click.option("--python", type=PATH, metavar="EXE", help=what)


def environment(purpose: str) -> "Callable[[F], F]":
    """``--python`` where the active environment is meant without it."""
    usual = " (default: $VIRTUAL_ENV, $CONDA_PREFIX, python on PATH)."
    return python(f"Interpreter of the environment to {purpose}{usual}")


def form(formats: Sequence[str]) -> "Callable[[F], F]":
    """``--format`` of a command that writes text without it."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(formats),
        default="text",
        help="[default: text]",
    )
