"""`watch --all`: every torch job of this user, one line each."""

import contextlib
import math
import sys
import time
from collections.abc import Callable, Generator
from typing import Any

import click

from pipedoctor.cli.actions import privacy
from pipedoctor.cli.actions.watch_sinks import redact_interval
from pipedoctor.cli.request.requests_watch import WatchRequest
from pipedoctor.cli.terminal import output
from pipedoctor.facts import UnreadableError
from pipedoctor.textsafe import encode_json
from pipedoctor.watch.attach.permission_notes import PermissionNotes
from pipedoctor.watch.job.session import WatchSession
from pipedoctor.watch.observation.job_facts import collect_facts
from pipedoctor.watch.output.sample_line import build_sample
from pipedoctor.watch.output.text_line import format_text_line
from pipedoctor.watch.system.process_tree import find_torch_jobs

NO_SAMPLES_CODE = 3
_WIDTH = 72


def watch_all(request: WatchRequest) -> int:
    """Watch them in turn, a part of each interval for each; the exit code."""
    sessions = _open_sessions(request)
    if not sessions:
        click.echo("pipedoctor watch: no job of this user uses torch", err=True)
        return NO_SAMPLES_CODE
    with _open_view(request) as show, contextlib.suppress(KeyboardInterrupt):
        _watch_in_turn(sessions, request, show)
    for session in sessions:
        session.close()
    return 0


def _watch_in_turn(
    sessions: list[WatchSession], request: WatchRequest, show: Callable[[dict[str, Any]], None]
) -> None:
    began, end = time.monotonic(), request.seconds or math.inf
    redactor = privacy.make_redactor(request.output, no_redact=request.no_redact)
    while time.monotonic() - began < end and any(s.is_alive for s in sessions):
        alive = [session for session in sessions if session.is_alive]
        for session in alive:
            session.run(session.seconds + request.interval / len(alive))
            session.end_interval(request.interval)
        for session in alive:
            show(build_sample(redact_interval(redactor, collect_facts(session))))


def _open_sessions(request: WatchRequest) -> list[WatchSession]:
    found: list[WatchSession] = []
    for pid in find_torch_jobs():
        try:
            found.append(WatchSession(pid, stacks=not request.no_stacks))
        except UnreadableError:  # noqa: PERF203  (it has ended meanwhile)
            continue
    return found


@contextlib.contextmanager
def _open_view(request: WatchRequest) -> Generator[Callable[[dict[str, Any]], None], None, None]:
    """A line for each job: in place on a terminal, else as it is at the end, if there is one."""
    rows: dict[int, str] = {}
    notes, said = PermissionNotes(), list[str]()

    def keep(line: dict[str, Any]) -> None:
        said.extend(notes.list_new(line, _WIDTH, recorded=False))
        rows[line["pid"]] = _format_row(line)

    if request.form != "json" and sys.stdout.isatty() and not request.output:
        from pipedoctor.cli.actions.watch_view import live_lines

        with live_lines(no_color=request.no_color) as update:

            def show(line: dict[str, Any]) -> None:
                keep(line)
                update([*rows.values(), *said])

            yield show
        return
    if request.form != "json" and request.seconds is not None:
        try:
            yield keep
        finally:
            output.write_output("".join(f"{row}\n" for row in (*rows.values(), *said)), None)
        return
    yield lambda line: _write_line(line, request, notes)


def _format_row(line: dict[str, Any]) -> str:
    return f"{line['pid']:>7} {format_text_line(line, _WIDTH)}"


def _write_line(line: dict[str, Any], request: WatchRequest, notes: PermissionNotes) -> None:
    if request.form == "json":
        output.write_output(encode_json(line) + b"\n", None)
        return
    rows = [*notes.list_new(line, _WIDTH, recorded=False), _format_row(line)]
    output.write_output("".join(f"{row}\n" for row in rows), None)
