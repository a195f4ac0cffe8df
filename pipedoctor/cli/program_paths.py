"""Commands that start programs: refused where a path hangs that each program looks into."""

import click

from pipedoctor.collect.dead_paths import (
    describe_dead_path,
    find_dead_paths,
    list_program_folders,
)
from pipedoctor.collect.prefix import EnvironmentChoice
from pipedoctor.report.sentences import clean_text


class UnmeasurableError(click.ClickException):
    """Nothing can be measured here."""

    exit_code = 3


def find_dead_program_path(python: str = "", env: str = "") -> str:
    """Find out which path would hang a program, in one line; empty: all answer."""
    environment = EnvironmentChoice(python=python, env=env)
    dead = find_dead_paths(list_program_folders(), environment)
    return clean_text(describe_dead_path(dead[0])) if dead else ""


def refuse_dead_paths(context: click.Context, python: str = "", env: str = "") -> None:
    """Raise UnmeasurableError where a program that is started would hang."""
    dead = find_dead_program_path(python, env)
    if dead:
        error = UnmeasurableError(f"could not measure: {dead}")
        error.ctx = context  # type: ignore[attr-defined]
        raise error
