"""What `watch` and `run` are asked for: one struct a command."""

from typing import TYPE_CHECKING

import msgspec

from pipedoctor.cli.request.requests import OutputRequest

if TYPE_CHECKING:
    from pipedoctor.cli.request.job_request import JobRequest


class WatchRequest(OutputRequest, frozen=True, kw_only=True):
    """`watch`: one of a process, every job, or a recording."""

    pid: int | None = None
    every: bool = False
    """--all: each torch job of this user."""
    replay: str | None = None
    """A file that `record` has written."""
    seconds: float | None = None
    """None: until the job ends."""
    interval: float = 1.0
    record: str | None = None
    prometheus: int | None = None
    """A port; 0: any that is free."""
    prometheus_address: str = "127.0.0.1"
    no_stacks: bool = False
    inject: bool = False
    """Put exact clocks into the job while it is watched."""
    quiet: bool = False
    verbose: bool = False


class RunRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`run`: the command, and how it is watched."""

    argv: tuple[str, ...]
    job: "JobRequest"
    quiet: bool = False
    inside: bool = False
    """Put exact clocks into its processes."""
    record: str | None = None
    seconds: float | None = None
    interval: float = 1.0
    prometheus: int | None = None

    @property
    def watch(self) -> WatchRequest:
        """The same, as `watch` is asked for it."""
        return WatchRequest(
            quiet=self.quiet,
            record=self.record,
            seconds=self.seconds,
            interval=self.interval,
            prometheus=self.prometheus,
        )
