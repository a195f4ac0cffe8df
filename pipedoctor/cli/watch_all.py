"""`watch --all`: every torch job of this user, one line each."""

import math
import time
from typing import Any

import click

from pipedoctor.cli import output, privacy
from pipedoctor.cli.requests_watch import WatchRequest
from pipedoctor.cli.watch_sinks import redact_interval
from pipedoctor.facts import UnreadableError
from pipedoctor.textsafe import encode_json
from pipedoctor.watch.job_facts import collect_facts
from pipedoctor.watch.process_tree import find_torch_jobs
from pipedoctor.watch.sample_line import build_sample
from pipedoctor.watch.session import WatchSession
from pipedoctor.watch.text_line import format_text_line

NO_SAMPLES_CODE = 3
_WIDTH = 72


def watch_all(request: WatchRequest) -> int:
    """Watch them in turn, a part of each interval for each; the exit code."""
    sessions = _open_sessions(request)
    if not sessions:
        click.echo("pipedoctor watch: no job of this user uses torch", err=True)
        return NO_SAMPLES_CODE
    began, end = time.monotonic(), request.seconds or math.inf
    redactor = privacy.make_redactor(request.output, no_redact=request.no_redact)
    try:
        while time.monotonic() - began < end and any(s.is_alive for s in sessions):
            alive = [session for session in sessions if session.is_alive]
            for session in alive:
                session.run(session.seconds + request.interval / len(alive))
            for session in alive:
                _write_line(
                    build_sample(redact_interval(redactor, collect_facts(session))), request
                )
    except KeyboardInterrupt:
        pass
    for session in sessions:
        session.close()
    return 0


def _open_sessions(request: WatchRequest) -> list[WatchSession]:
    found: list[WatchSession] = []
    for pid in find_torch_jobs():
        try:
            found.append(WatchSession(pid, stacks=not request.no_stacks))
        except UnreadableError:  # noqa: PERF203  (it has ended meanwhile)
            continue
    return found


def _write_line(line: dict[str, Any], request: WatchRequest) -> None:
    if request.form == "json":
        output.write_output(encode_json(line) + b"\n", None)
    else:
        output.write_output(f"{line['pid']:>7} {format_text_line(line, _WIDTH)}\n", None)
