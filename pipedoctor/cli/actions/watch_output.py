"""From a job that is watched to lines, a recording and a report."""

import contextlib
import gc
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Generator
from functools import cache
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli import formats
from pipedoctor.cli.actions import privacy
from pipedoctor.cli.actions.watch_sinks import (
    REDACTION_SECONDS,
    open_injection,
    open_recorder,
    redact_interval,
    redact_line,
    serve_metrics,
)
from pipedoctor.cli.request.requests_watch import WatchRequest
from pipedoctor.cli.terminal import output
from pipedoctor.facts import Facts, LiveJob, MalformedRecordError, Pipeline, UnreadableError
from pipedoctor.runtime.files import describe_error
from pipedoctor.textsafe import encode_json

if TYPE_CHECKING:
    from pipedoctor.cli.actions.watch_app import ViewState
    from pipedoctor.report.model import Report
    from pipedoctor.watch.job.session import WatchSession

NO_SAMPLES_CODE = 3
_REPORT_NICENESS = 5
"""A third of what the job gets, where no CPU is left over."""
ShowInterval = Callable[[Facts], None]
ShowLine = Callable[[Facts | dict[str, Any]], None]


def show_nothing(_known: Facts | dict[str, Any]) -> None:
    """Only the report is wanted."""


class WatchInterrupt(KeyboardInterrupt):
    """Somebody asked to end the watch, not the program."""


def run_watch(request: WatchRequest) -> int:
    """Do what was asked for; raises UsageError for what cannot be watched or read."""
    if sys.platform != "linux":
        message = "watch: requires Linux: other processes are read from /proc"
        raise click.UsageError(message)
    if request.inject and (request.pid is None or request.no_stacks):
        message = "--inject needs a PID, and its stacks"
        raise click.UsageError(message)
    if request.pid is not None:
        return _watch_job(request.pid, request)
    if request.replay is not None:
        return _replay_recording(request.replay, request)
    from pipedoctor.cli.actions.watch_all import watch_all

    _preempt_nobody()
    return watch_all(request)


def _watch_job(pid: int, request: WatchRequest) -> int:
    _preempt_nobody()
    from pipedoctor.watch.job.session import WatchSession
    from pipedoctor.watch.observation.job_facts import collect_facts

    began, state = time.monotonic(), _open_state(request)
    sleep = time.sleep if state is None else state.sleep
    try:
        session = WatchSession(pid, stacks=not request.no_stacks, sleep=sleep)
    except UnreadableError as error:
        raise click.UsageError(str(error)) from None
    redactor = privacy.make_redactor(request.output, no_redact=request.no_redact)
    raw, reads_intervals = Facts(), bool(request.record or request.prometheus is not None)
    with (
        open_recorder(request) as record,
        serve_metrics(request) as publish,
        open_injection(request, session) as renew,
    ):

        def watch(show: ShowInterval) -> None:
            nonlocal raw
            watched = session.run_intervals(request.interval, _find_end(request))
            for _ in watched:
                renew()
                if not reads_intervals and show is show_nothing:
                    continue  # the report alone is wanted
                raw = collect_facts(session)
                publish(raw)
                record(raw, False)
                show(redact_interval(redactor, raw))

        _watch_until_end(watch, request, state)
        _yield_processors()
        raw = _collect_last(session, raw)
        record(raw, True)
    session.close()
    return write_report(redactor.redact_facts(raw), request, began)


def _open_state(request: WatchRequest) -> "ViewState | None":
    """For a view with keys: on a terminal, where Textual is installed."""
    plain = request.quiet or request.form != "text" or request.output or request.no_color
    if plain or not (sys.stdin.isatty() and sys.stdout.isatty()) or _is_dumb():
        return None
    from pipedoctor.cli.actions.watch_app import ViewState, has_textual

    return ViewState() if has_textual() else None


def _is_dumb() -> bool:
    return os.environ.get("TERM", "dumb") in {"dumb", "unknown"} or bool(os.environ.get("NO_COLOR"))


def _watch_until_end(
    watch: Callable[[ShowInterval], None], request: WatchRequest, state: "ViewState | None"
) -> None:
    """Watch, and show it, until it is over or somebody ends it."""
    if state is not None:
        from pipedoctor.cli.actions.watch_app import run_interactive

        shown = state.show
        run_interactive(state, lambda: watch(shown))
        return
    with (
        _open_view(request) as show,
        contextlib.suppress(WatchInterrupt),
        _handle_interrupts(),
    ):
        watch(show)


def _preempt_nobody() -> None:
    """
    Wait for a turn with each look: who wakes up otherwise takes the CPU from a worker.

    Where no CPU is left over that costs the job more than what the looks take themselves.
    """
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _yield_processors() -> None:
    """
    The report must not slow the job: looks need to come in time, this does not.

    It is written once: what it leaves behind is not worth collecting.
    """
    gc.disable()
    with contextlib.suppress(OSError):
        os.nice(_REPORT_NICENESS)


def _collect_last(session: "WatchSession", earlier: Facts) -> Facts:
    """What is known at the end; what was known `earlier` where nothing is left to see."""
    from pipedoctor.watch.observation.job_facts import collect_facts

    known = collect_facts(session, last=True)
    return known if known.get(Pipeline) or not earlier.get(Pipeline) else earlier


def _find_end(request: WatchRequest) -> float:
    return request.seconds if request.seconds is not None else math.inf


def write_report(facts: Facts, request: WatchRequest, began: float) -> int:
    """Write the report; the exit code."""
    report, target = judge_watched(facts, began), request.output
    code = 0 if _has_samples(facts) else NO_SAMPLES_CODE
    if request.form == "json":
        output.write_output(encode_json(report) + b"\n", target)
    else:
        context = formats.RenderContext(
            output=target,
            no_color=request.no_color,
            detail="brief" if request.quiet else "full" if request.verbose else "normal",
            exit_code=code,
        )
        text = formats.render(formats.Subject.REPORT, request.form, report, context)
        if request.form == "text" and isinstance(text, str):
            text = f"{describe_verdict(facts, report)}\n{text}"
        output.write_output(text, target)
    return code


def _has_samples(facts: Facts) -> bool:
    """Was there anything that a verdict can rest on?"""
    pipeline = facts.get(Pipeline)
    return bool(pipeline and pipeline.observed and pipeline.observed.samples)


def describe_verdict(facts: Facts, report: "Report") -> str:
    """The verdict, where, and what its remedy saves; or why there is none."""
    from pipedoctor.watch.output.sample_line import build_sample, build_verdict
    from pipedoctor.watch.output.text_line import format_headline

    pipeline = facts.get(Pipeline)
    if pipeline is None or pipeline.observed is None:
        return f"nothing was seen: {facts.get_unknown_reason(Pipeline)}"
    found = next((f for f in report.findings if f.name.startswith("bottleneck-")), None)
    gain = found.gain if found is not None else None
    return format_headline(build_sample(facts) | build_verdict(pipeline.observed), gain)


def judge_watched(facts: Facts, began: float) -> "Report":
    """Judge what was seen by the checks that read it, and by no other."""
    from pipedoctor.engine.catalogue import get_catalogue
    from pipedoctor.pipeline import CheckPolicy, judge_facts

    return judge_facts(get_catalogue((Pipeline, LiveJob)), facts, CheckPolicy(), began=began)


def _replay_recording(path: str, request: WatchRequest) -> int:
    from pipedoctor.watch.output.recording import read_recording

    began, known, shown = time.monotonic(), Facts(), None
    redactor = privacy.make_redactor(request.output, no_redact=request.no_redact)
    hide = cache(redactor.redact_text)
    try:
        with _open_view(request) as show:
            for line, facts in read_recording(path):
                known = facts or known
                if line.get("seconds") != shown:  # the last interval is recorded twice, with facts
                    show(redact_line(line, hide, began + REDACTION_SECONDS))
                shown = line.get("seconds")
    except OSError as error:
        message = f"--replay {path}: {describe_error(error)}"
        raise click.UsageError(message) from None
    except MalformedRecordError as error:
        message = f"--replay {path}: {error}"
        raise click.UsageError(message) from None
    until = time.monotonic() + REDACTION_SECONDS
    return write_report(redactor.redact_facts(known, until=until), request, began)


@contextlib.contextmanager
def _open_view(request: WatchRequest) -> Generator[ShowLine, None, None]:
    """What shows each interval: a line of JSON or text, a table on a terminal."""
    form, live = request.form, sys.stdout.isatty() and not request.output
    if request.quiet or form not in {"text", "json"}:
        yield show_nothing
        return
    if live and form == "text":
        from pipedoctor.cli.actions.watch_view import live_view

        with live_view(no_color=request.no_color) as show:
            yield show
        return
    yield _write_json_line if form == "json" else _make_line_writer()


def _write_json_line(facts: Facts | dict[str, Any]) -> None:
    """To stdout, wherever the report goes."""
    from pipedoctor.watch.output.sample_line import build_sample

    line = facts if isinstance(facts, dict) else build_sample(facts)
    output.write_output(encode_json(line) + b"\n", None)


def _make_line_writer() -> ShowLine:
    """What prints a line for each interval, and above it what is said only once."""
    from pipedoctor.watch.attach.permission_notes import PermissionNotes
    from pipedoctor.watch.output.sample_line import build_sample
    from pipedoctor.watch.output.text_line import format_text_line

    width, notes = min(output.get_width(), 80), PermissionNotes()

    def write(facts: Facts | dict[str, Any]) -> None:
        recorded = isinstance(facts, dict)
        line = facts if isinstance(facts, dict) else build_sample(facts)
        rows = notes.list_new(line, width, recorded=recorded)
        rows.append(format_text_line(line, width))
        output.write_output("".join(f"{row}\n" for row in rows), None)

    return write


@contextlib.contextmanager
def _handle_interrupts() -> Generator[None, None, None]:
    """Ctrl-C and SIGTERM end the watch, and the report follows."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise WatchInterrupt

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
