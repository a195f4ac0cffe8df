"""The options that describe a job, for every command that judges one."""

from typing import TYPE_CHECKING, Any, TypeVar

import click

from pipedoctor.cli.request.option_types import AT_LEAST_ONE, COUNT, PATH, POSITIVE_COUNT, SIZE
from pipedoctor.cli.request.options import ENV_OPTION, environment_option

if TYPE_CHECKING:
    from collections.abc import Callable


F = TypeVar("F", bound="Callable[..., Any]")

_LOADER_OPTIONS = (
    click.option("--workers", type=COUNT, help="num_workers of the job's DataLoader."),
    click.option("--batch-bytes", type=SIZE, help="Size of one batch, such as 64M."),
    click.option("--prefetch", type=POSITIVE_COUNT, help="prefetch_factor of that DataLoader."),
    click.option("--ranks", type=POSITIVE_COUNT, help="Training processes on this node."),
)
_PLACE_OPTIONS = (
    click.option("--data", multiple=True, type=PATH, metavar="DIR", help="Path to the dataset."),
    ENV_OPTION,
)
_PID_OPTION = click.option(
    "--pid",
    type=AT_LEAST_ONE,
    help="Judge the limits, cgroups, mounts and environment of this process.",
)


def add_job_options(*, pid: bool) -> "Callable[[F], F]":
    """The decorator that gives a command these options."""

    def add(command: F) -> F:
        for option in reversed(
            (*_LOADER_OPTIONS, *_PLACE_OPTIONS, *((_PID_OPTION,) if pid else ()))
        ):
            command = option(command)
        return environment_option("examine")(command)

    return add
