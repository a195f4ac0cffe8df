"""`bench transfer`: batches on their way to the GPU, in the examined interpreter."""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from typing import Any, cast

from pipedoctor.bench.decoder import build_command
from pipedoctor.bench.host import read_host
from pipedoctor.bench.interval import compute_spread
from pipedoctor.bench.quiet_machine import QuietMeasurement, keep_quietest
from pipedoctor.bench.window import CpuMeter
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import UnreadableError, Window
from pipedoctor.facts.bench import Quality
from pipedoctor.facts.bench_transfer import BenchTransfer, Copy, Step
from pipedoctor.runtime.bounded_process import reap_killed
from pipedoctor.units import name_signal

TransferAnswer = dict[str, Any]
"""What the program says."""
MAX_TRIES = 2
_REST_TIMEOUT = 1.0
BUDGET_SHARE = 0.4
"""Of the budget, the import of torch included; what has begun then may still end."""
PINNED_COPY = "pinned, non_blocking"
COMPUTE_ALONE = "compute alone"


def measure_transfer(
    executable: str,
    environ: Mapping[str, str],
    *,
    batch_bytes: int,
    budget: float,
    machine: Machine | None = None,
    meter: CpuMeter | None = None,
) -> BenchTransfer:
    """
    Run it; raises UnreadableError where there is no GPU or no answer.

    Ctrl-C gives the copies, if they were measured by then; else it goes on its way.
    """
    machine = machine or Machine()
    watch = meter or CpuMeter(machine)
    began = time.monotonic()
    until = began + budget
    line = build_command(executable, "transfer.py", str(batch_bytes), str(budget * BUDGET_SHARE))
    taken = _run_quietly(
        lambda: _run_program(line, environ, until - time.monotonic()), watch, until
    )
    if taken.refusal:
        raise UnreadableError(taken.refusal)
    quality = Quality(windows=1, repeated=taken.tries - 1, marked=taken.disturbance)
    return build_fact(taken.value, machine, quality, time.monotonic() - began)


class _NoMoreTriesError(Exception):
    """No other try comes: what is known has to do."""

    def __init__(self, *, interrupted: bool) -> None:
        super().__init__()
        self.interrupted = interrupted

    def choose_best(
        self, answers: list[tuple[TransferAnswer, Window]]
    ) -> QuietMeasurement[TransferAnswer]:
        """The best of it: whole before cut off, then the least disturbed."""
        whole = [one for one in answers if "interrupted" not in one[0]] or answers
        answer, window = min(whole, key=lambda one: one[1].lost_cores)
        more = {"interrupted": True} if self.interrupted else {}
        return QuietMeasurement(value={**answer, **more}, window=window, tries=len(answers))


def _run_quietly(
    measure: Callable[[], TransferAnswer], watch: CpuMeter, until: float
) -> QuietMeasurement[TransferAnswer]:
    """Run it, and again while others disturb it; not after Ctrl-C, nor in vain."""
    answers: list[tuple[TransferAnswer, Window]] = []

    def run_once() -> tuple[TransferAnswer, Window]:
        watch.start()
        try:
            answer = measure()
        except (UnreadableError, KeyboardInterrupt) as error:
            if not answers:
                raise
            raise _NoMoreTriesError(interrupted=isinstance(error, KeyboardInterrupt)) from None
        answers.append((answer, watch.stop()))
        if answer.get("interrupted"):
            raise _NoMoreTriesError(interrupted=True)
        return answers[-1]

    try:
        return keep_quietest(run_once, tries=MAX_TRIES, until=until)
    except _NoMoreTriesError as over:
        return over.choose_best(answers)


def build_fact(
    answer: Mapping[str, Any], machine: Machine, quality: Quality, seconds: float
) -> BenchTransfer:
    """Windows as medians with intervals, and the share of the copy that is hidden."""
    size: int = answer["batch_bytes"]
    copies = tuple(_build_copy(name, size, rows) for name, rows in answer["copies"].items())
    copy = compute_spread([total for total, _ in answer["copies"][PINNED_COPY]])
    alone = compute_spread(answer["steps"].get(COMPUTE_ALONE, ()))
    steps = tuple(
        _build_step(name, rows, copy.value, alone.value)
        for name, rows in answer["steps"].items()
        if name != COMPUTE_ALONE and copy and alone
    )
    return BenchTransfer(
        host=read_host(machine, answer["python"]),
        device=answer["device"],
        torch=answer["torch"],
        batch_bytes=size,
        copies=copies,
        compute_seconds=alone.value if alone else None,
        steps=steps,
        quality=quality,
        seconds=seconds,
        interrupted=bool(answer.get("interrupted")),
    )


def _build_copy(name: str, size: int, rows: list[tuple[float, float]]) -> Copy:
    rate = compute_spread([size / total for total, _ in rows])
    returns = compute_spread([returned for _, returned in rows])
    assert rate and returns  # noqa: S101, PT018  (at least three rounds are made)
    return Copy(name=name, rate=rate, returns=returns)


def _build_step(name: str, rows: list[float], copy: float, step_seconds: float) -> Step:
    seconds = compute_spread(rows)
    assert seconds is not None  # noqa: S101  (at least three rounds are made)
    hidden = (step_seconds + copy - seconds.value) / copy if copy else 0.0
    return Step(name=name, seconds=seconds, hidden=min(1.0, max(0.0, hidden)))


def _run_program(line: list[str], environ: Mapping[str, str], patience: float) -> Any:
    """
    What the program says; raises UnreadableError. It leaves no process behind.

    Ctrl-C ends it, and what it has said by then is ``interrupted``.
    """
    try:
        process = subprocess.Popen(
            line,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        message = f"{line[0]} cannot be started: {error.strerror}"
        raise UnreadableError(message) from error
    try:
        answer, _ = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        message = f"no answer after {patience:.0f} s: torch or the driver hangs,"
        message += " or --budget is too small"
        raise UnreadableError(message) from None
    except KeyboardInterrupt:
        _kill_group(process)
        partial = _parse_last_answer(_read_rest(process))
        if "copies" not in partial:
            raise
        return {**partial, "interrupted": True}
    finally:
        _kill_group(process)
        reap_killed(process)
        if process.stdout is not None:
            process.stdout.close()
    return _read_final_answer(answer, process.returncode)


def _read_rest(process: "subprocess.Popen[bytes]") -> bytes:
    """What a killed process has said; nothing where the driver keeps it."""
    try:
        return process.communicate(timeout=_REST_TIMEOUT)[0]
    except subprocess.TimeoutExpired:
        return b""


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


def _read_final_answer(answer: bytes, code: int) -> dict[str, Any]:
    """The last word of a program that ended by itself; raises UnreadableError."""
    parsed = _parse_last_answer(answer)
    if not answer or parsed.get("partial"):
        how = name_signal(-code) if code < 0 else f"exit code {code}"
        message = f"its process ended with {how}"
        raise UnreadableError(message)
    if not parsed:
        message = "it printed unexpected output"
        raise UnreadableError(message)
    if "error" in parsed:
        raise UnreadableError(parsed["error"])
    return parsed


def _parse_last_answer(answer: bytes) -> dict[str, Any]:
    """The last line that is an answer; nothing where there is none."""
    for line in reversed(answer.splitlines()):
        with contextlib.suppress(ValueError):
            value = json.loads(line)
            if isinstance(value, dict):
                return cast("dict[str, Any]", value)
    return {}
