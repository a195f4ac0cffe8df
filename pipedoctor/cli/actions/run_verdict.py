"""The verdict of `pipedoctor run`: what the command waited for while it ran."""

import contextlib
import sys
import time
from collections.abc import Generator
from typing import TYPE_CHECKING

from pipedoctor.cli.actions import privacy
from pipedoctor.cli.request.requests_watch import RunRequest
from pipedoctor.cli.terminal import output
from pipedoctor.facts import Facts, Pipeline

if TYPE_CHECKING:
    from pipedoctor.watch.attach.background import BackgroundWatch


class CommandWatch:
    """A watch over the command; without one, there is no verdict."""

    def __init__(self, watch: "BackgroundWatch | None", *, quiet: bool) -> None:
        self._watch, self._quiet = watch, quiet
        self._began = time.monotonic()
        self.facts: Facts | None = None
        """What was seen, once the watch has ended."""

    def start(self, pid: int) -> None:
        """Watch this process."""
        if self._watch is not None:
            self._watch.start(pid)

    def write_verdict(self) -> str:
        """End the watch, and judge it; empty: it was no training."""
        facts = self.facts = self._watch.stop() if self._watch is not None else None
        if facts is None or self._quiet:
            return ""
        pipeline = facts.get(Pipeline)
        if pipeline is None or pipeline.observed is None:
            return ""
        from pipedoctor.runtime.attempt import Crash, attempt

        done = attempt(lambda: _render_verdict(facts, self._began))
        return "" if isinstance(done, Crash) else done.value


def _render_verdict(facts: Facts, began: float) -> str:
    from pipedoctor.cli.actions.watch_output import describe_verdict, judge_watched
    from pipedoctor.report import text

    redacted = privacy.make_stderr_redactor().redact_facts(facts)
    judged = judge_watched(redacted, began)
    report = text.render(
        judged,
        width=output.get_width(),
        color=sys.stderr.isatty() and output.has_colors(None, no_color=False),
    )
    return f"\n{describe_verdict(redacted, judged)}\n{report}"


@contextlib.contextmanager
def watch_command(request: RunRequest) -> Generator[CommandWatch, None, None]:
    """Watch while it lasts, and record or publish what is seen, if that is wanted."""
    publishes = bool(request.record) or request.prometheus is not None
    if sys.platform != "linux" or (request.quiet and not publishes):
        yield CommandWatch(None, quiet=request.quiet)
        return
    from pipedoctor.cli.actions.watch_sinks import open_recorder, serve_metrics
    from pipedoctor.watch.attach.background import BackgroundWatch

    with open_recorder(request.watch) as record, serve_metrics(request.watch) as publish:
        background = BackgroundWatch(interval=request.interval, seconds=request.seconds)
        if publishes:
            background.listeners += [publish, record]
        watch = CommandWatch(background, quiet=request.quiet)
        try:
            yield watch
        finally:
            if watch.facts is not None:
                record(watch.facts, True)
