"""Commands that start programs: refused where a path hangs that each program looks into."""

import os

import click

from pipedoctor.collect.dead_paths import (
    describe_dead_path,
    find_dead_paths,
    list_program_folders,
)
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.named_folders import PathRequest
from pipedoctor.report.sentences import clean_text


class UnmeasurableError(click.ClickException):
    """Nothing can be measured here."""

    exit_code = 3


def find_dead_program_path(python: str = "", env: str = "", target: str = "") -> str:
    """Find out which path would hang a program, in one line; empty: all answer."""
    environment = EnvironmentChoice(python=python, env=env)
    folders = [*_list_target_files(target), *list_program_folders()]
    dead = find_dead_paths(folders, environment)
    return clean_text(describe_dead_path(dead[0])) if dead else ""


def _list_target_files(target: str) -> list[PathRequest]:
    """List the file of ``file.py:callable``; a module is looked for in the other folders."""
    place = target.rpartition(":")[0]
    if not place.endswith(".py"):
        return []
    path = os.path.abspath(place)  # noqa: PTH100  (keeps links)
    return [PathRequest(role="code", path=path, named_by=target)]


def refuse_dead_paths(
    context: click.Context, python: str = "", env: str = "", target: str = ""
) -> None:
    """Raise UnmeasurableError where a program that is started would hang."""
    dead = find_dead_program_path(python, env, target)
    if dead:
        error = UnmeasurableError(f"could not measure: {dead}")
        error.ctx = context  # type: ignore[attr-defined]
        raise error
