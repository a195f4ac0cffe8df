"""Run a labelled loop, watch it, and say whether the verdict is right."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LABELS: dict[str, str] = json.loads((HERE / "labels.json").read_text("utf-8"))
RECORDINGS = HERE.parent / "recordings"
PROGRAMS = (
    *("loop.py", "loop_items.py", "styles.py", "jobs.py"),
    *("strained.py", "kinds.py", "phases.py", "fields.py"),
)
SECONDS = 7.0
_MAX_SECONDS = 90.0
"""A loop that has not ended by then is killed."""
ONE_OF_EACH = (
    "sleep-latency",
    "one-reader",
    "jpeg",
    "python-transform",
    "tensor-pieces",
    "large-batch",
    "rare-slow-sample",
    "short-epochs",
    "long-step",
    "hidden-latency",
)
"""A loop of each class: recorded by ``tools/record_loops.py``."""


@dataclass(frozen=True)
class Score:
    """What was seen of one loop, and what is true of it."""

    name: str
    verdict: str
    line: int | None
    wait: float
    own_wait: float
    """By the loop's own clock."""
    lines: list[dict[str, object]]
    report: dict[str, object]

    @property
    def right(self) -> bool:
        return self.verdict == f"bottleneck-{LABELS[self.name]}"

    @property
    def line_right(self) -> bool | None:
        """None: the loop has no line at fault."""
        wanted = find_marked_lines().get(self.name)
        return None if wanted is None else self.line == wanted


def find_marked_lines() -> dict[str, int]:
    """The line at fault of each loop that has one."""
    return {
        name: number
        for program in PROGRAMS
        for number, text in enumerate((HERE / program).read_text("utf-8").splitlines(), 1)
        if "# hot:" in text
        for name in text.partition("# hot:")[2].split()
    }


def find_program(name: str) -> Path:
    """The file that has a loop of this name."""
    quoted = f'"{name}": ('
    return next(HERE / p for p in PROGRAMS if quoted in (HERE / p).read_text("utf-8"))


def score(name: str, folder: Path, record: Path | None = None) -> Score:
    """Watch it for some seconds from when it is warm; `record`: a file for `--record`."""
    environment = {"LOOPS_FOLDER": str(folder), "PYTHONWARNINGS": "ignore"}
    with subprocess.Popen(
        [sys.executable, find_program(name), name, str(SECONDS + 40)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | environment,
        text=True,
        start_new_session=True,
    ) as loop:
        assert loop.stdout is not None
        watchdog = threading.Timer(_MAX_SECONDS, loop.kill)
        watchdog.start()
        try:
            rows = _watch(int(loop.stdout.readline()), record)
            loop.send_signal(signal.SIGUSR1)  # it has been watched
            own = json.loads(loop.stdout.readline())
        finally:
            watchdog.cancel()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(loop.pid, signal.SIGKILL)  # workers that still hand over stay otherwise
    return _build_score(name, rows, own["wait"])


def _watch(pid: int, record: Path | None) -> list[dict[str, Any]]:
    command = (sys.executable, "-m", "pipedoctor", "watch", str(pid), "--format", "json")
    more = ("--record", str(record)) if record else ("--no-redact",)
    done = subprocess.run(
        [*command, "--seconds", str(SECONDS), *more],
        capture_output=True,
        check=True,
        text=True,
        timeout=_MAX_SECONDS,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def _build_score(name: str, rows: list[dict[str, Any]], own_wait: float) -> Score:
    *lines, report = rows
    first = next(f for f in report["findings"] if f["name"].startswith("bottleneck-"))
    place = first["location"]
    return Score(
        name=name,
        verdict=first["name"],
        line=place["line"] if place else None,
        wait=lines[-1]["data_wait"]["share"],
        own_wait=own_wait,
        lines=lines,
        report=report,
    )
