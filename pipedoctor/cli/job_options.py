"""The options that describe a job, for every command that judges one."""

from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from pipedoctor.cli.option_types import AT_LEAST_ONE, COUNT, PATH, POSITIVE_COUNT, SIZE
from pipedoctor.cli.options import ENV_OPTION, environment_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipedoctor.cli.check_options import CheckOptions
    from pipedoctor.collect.plan import CollectionRequest
    from pipedoctor.facts import Loader

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


class JobRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a job; None: nothing."""

    workers: int | None = None
    batch_bytes: int | None = None
    prefetch: int | None = None
    ranks: int | None = None
    data: tuple[str, ...] = ()
    pid: int | None = None
    python: str | None = None
    env: str | None = None

    @property
    def options(self) -> "CheckOptions":
        """The same, as `check` takes it."""
        from pipedoctor.cli.check_options import CheckOptions

        values = {name: getattr(self, name) for name in self.__struct_fields__ if name != "pid"}
        return CheckOptions(**values)

    @property
    def loader(self) -> "Loader | None":
        """What is known of its DataLoader; None: nothing."""
        return self.options.loader

    @property
    def is_known(self) -> bool:
        """Is anything known of it?"""
        return self != JobRequest()

    def build_inquiry(self, code: tuple[str, ...] = ()) -> "CollectionRequest":
        """What to examine for this job; raises UsageError for what is not there."""
        from pipedoctor.cli.check_request import build_inquiry

        if self.python and self.env:
            message = "--python and --env cannot be combined"
            raise click.UsageError(message)
        return build_inquiry(self.options, code, self.pid)


def add_job_options(*, pid: bool) -> "Callable[[F], F]":
    """The decorator that gives a command these options."""

    def add(command: F) -> F:
        for option in reversed(
            (*_LOADER_OPTIONS, *_PLACE_OPTIONS, *((_PID_OPTION,) if pid else ()))
        ):
            command = option(command)
        return environment_option("examine")(command)

    return add


def take_job(parameters: "dict[str, Any]") -> JobRequest:
    """Take the job out of the parameters of a command."""
    names = [name for name in JobRequest.__struct_fields__ if name in parameters]
    return JobRequest(**{name: parameters.pop(name) for name in names})
