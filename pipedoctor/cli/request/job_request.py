"""What the options of a command say of a job, as one struct."""

from typing import TYPE_CHECKING, Any

import click
import msgspec

if TYPE_CHECKING:
    from pipedoctor.cli.request.check_options import CheckOptions
    from pipedoctor.collect.plan import CollectionRequest
    from pipedoctor.facts import Loader


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
        from pipedoctor.cli.request.check_options import CheckOptions

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
        from pipedoctor.cli.request.check_request import build_inquiry

        if self.python and self.env:
            message = "--python and --env cannot be combined"
            raise click.UsageError(message)
        return build_inquiry(self.options, code, self.pid)


def take_job(parameters: "dict[str, Any]") -> JobRequest:
    """Take the job out of the parameters of a command."""
    names = [name for name in JobRequest.__struct_fields__ if name in parameters]
    return JobRequest(**{name: parameters.pop(name) for name in names})
