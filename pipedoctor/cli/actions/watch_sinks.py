"""Where a watch goes besides the terminal: a recording, metrics; and names hidden on the way."""

import contextlib
import time
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from pipedoctor.cli.actions import privacy
from pipedoctor.cli.request.requests_watch import WatchRequest
from pipedoctor.facts import Facts, LiveJob, Pipeline
from pipedoctor.runtime.files import describe_error
from pipedoctor.runtime.time_limit import TimeLimitError, interrupt_after
from pipedoctor.textsafe import map_strings

if TYPE_CHECKING:
    from pipedoctor.privacy.redactor import Redactor
    from pipedoctor.watch.job.session import WatchSession

REDACTION_SECONDS = 15.0
"""For what stands in the recording of somebody else."""
_LEAST_LINE_SECONDS = 0.1
"""For each line behind them: a hundred times what a line of `watch` takes."""
RecordFacts = Callable[..., None]
"""Takes facts, and whether all of them are to be written."""
PublishFacts = Callable[[Facts], None]


def ignore_facts(_known: Facts, _whole: bool = False) -> None:
    """Nobody asked for it."""


def redact_interval(redactor: "Redactor", facts: Facts) -> Facts:
    """
    Facts of which only a line is built: what a line says of processes names nobody.

    All facts of a job with many workers are too much to redact every second.
    """
    job = facts.get(LiveJob)
    if job is None:
        return redactor.redact_facts(facts)
    pipeline = facts.get(Pipeline)
    rest = () if pipeline is None else (pipeline,)
    short = redactor.redact_facts(Facts(replace(job, processes=()), *rest, unknown=facts.unknown))
    redacted, pipeline = short.get(LiveJob), short.get(Pipeline)
    rest = () if pipeline is None else (pipeline,)
    assert redacted is not None  # noqa: S101  (redaction drops no section)
    whole = replace(redacted, processes=job.processes)
    return Facts(whole, *rest, unknown=short.unknown)


def redact_line(
    line: dict[str, Any], redact_text: Callable[[str], str], until: float
) -> dict[str, Any]:
    """A recorded interval; a line that is too long to be redacted until then only says so."""
    from pipedoctor.privacy.redactor import NOT_REDACTED

    try:
        with interrupt_after(max(until - time.monotonic(), _LEAST_LINE_SECONDS), TimeLimitError()):
            redacted: dict[str, Any] = map_strings(line, redact_text)
    except TimeLimitError:
        return {"seconds": line.get("seconds", 0.0), "unknown": {"stacks": NOT_REDACTED}}
    return redacted


@contextlib.contextmanager
def open_injection(
    request: WatchRequest, session: "WatchSession"
) -> Generator[Callable[[], None], None, None]:
    """Exact clocks in the job, where they are wanted; gives what renews them."""
    if not request.inject:
        yield lambda: None
        return
    from pipedoctor.cli.actions.watch_inject import inject_clocks

    with inject_clocks(request, session) as renew:
        yield renew


@contextlib.contextmanager
def open_recorder(request: WatchRequest) -> Generator[RecordFacts, None, None]:
    """Add intervals to a file; one that can no longer be written is given up."""
    path = request.record
    if not path:
        yield ignore_facts
        return
    from pipedoctor.watch.output.recording import WatchRecorder
    from pipedoctor.watch.output.sample_line import build_sample

    redactor = privacy.make_redactor(path, no_redact=request.no_redact)
    try:
        recording = WatchRecorder(path)
    except OSError as error:
        message = f"--record {path}: cannot be written: {describe_error(error)}"
        raise click.UsageError(message) from None
    broken: list[str] = []

    def give_up(error: OSError) -> None:
        if not broken:
            broken.append(describe_error(error))
            click.echo(f"pipedoctor: --record {path}: {broken[0]}", err=True)

    def add(facts: Facts, whole: bool = False) -> None:
        if broken:
            return
        every = whole or recording.awaits_facts
        redacted = redactor.redact_facts(facts) if every else redact_interval(redactor, facts)
        try:
            recording.add(build_sample(redacted), redacted if every else None)
        except OSError as error:
            give_up(error)

    try:
        yield add
    finally:
        try:
            recording.close()
        except OSError as error:  # what could not be written is written once more
            give_up(error)


@contextlib.contextmanager
def serve_metrics(request: WatchRequest) -> Generator[PublishFacts, None, None]:
    """Serve metrics while it lasts; UsageError where that cannot be."""
    if request.prometheus is None:
        yield ignore_facts
        return
    from pipedoctor.watch.output.prometheus import MetricsExporter, MissingExtraError

    port = request.prometheus
    try:
        exporter = MetricsExporter(port, request.prometheus_address)
    except MissingExtraError as error:
        message = f"--prometheus {error}"
        raise click.UsageError(message) from None
    except (OSError, OverflowError) as error:
        reason = describe_error(error) if isinstance(error, OSError) else str(error)
        message = f"--prometheus {port}: {reason}"
        raise click.UsageError(message) from None
    click.echo(f"pipedoctor: metrics at {exporter.address}", err=True)
    try:
        yield exporter.update
    finally:
        exporter.close()
