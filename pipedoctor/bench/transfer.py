"""`bench transfer`: batches on their way to the GPU, in the examined interpreter."""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from typing import Any, cast

from pipedoctor.bench.decoder import program
from pipedoctor.bench.host import host
from pipedoctor.bench.interval import spread
from pipedoctor.bench.steady import Taken, quietest
from pipedoctor.bench.window import Meter
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Unreadable, Window
from pipedoctor.facts.bench import Quality
from pipedoctor.facts.bench_transfer import BenchTransfer, Copy, Step

Said = dict[str, Any]
"""What the program says."""
TRIES = 2
SHARE = 0.4
"""Of the budget, the import of torch included; what has begun then may still end."""
PINNED = "pinned, non_blocking"
ALONE = "compute alone"


def measure(
    executable: str,
    environ: Mapping[str, str],
    *,
    batch_bytes: int,
    budget: float,
    machine: Machine | None = None,
    meter: Meter | None = None,
) -> BenchTransfer:
    """
    Run it; raises Unreadable where there is no GPU or no answer.

    Ctrl-C gives the copies, if they were measured by then; else it goes on its way.
    """
    machine = machine or Machine()
    watch = meter or Meter(machine)
    began = time.monotonic()
    until = began + budget
    line = program(executable, "transfer.py", str(batch_bytes), str(budget * SHARE))
    taken = _quietly(
        lambda: _run(line, environ, until - time.monotonic()), watch, until
    )
    if taken.refused:
        raise Unreadable(taken.refused)
    quality = Quality(windows=1, repeated=taken.tries - 1, marked=taken.mark)
    return as_fact(taken.value, machine, quality, time.monotonic() - began)


class _Over(Exception):  # noqa: N818  (what happened)
    """No other try comes: what is known has to do."""

    def __init__(self, *, interrupted: bool) -> None:
        super().__init__()
        self.interrupted = interrupted

    def taken(self, known: list[tuple[Said, Window]]) -> Taken[Said]:
        """The best of it: whole before cut off, then the least disturbed."""
        whole = [one for one in known if "interrupted" not in one[0]] or known
        said, window = min(whole, key=lambda one: one[1].lost_cores)
        more = {"interrupted": True} if self.interrupted else {}
        return Taken(value={**said, **more}, window=window, tries=len(known))


def _quietly(run: Callable[[], Said], watch: Meter, until: float) -> Taken[Said]:
    """Run it, and again while others disturb it; not after Ctrl-C, nor in vain."""
    known: list[tuple[Said, Window]] = []

    def once() -> tuple[Said, Window]:
        watch.start()
        try:
            said = run()
        except (Unreadable, KeyboardInterrupt) as error:
            if not known:
                raise
            raise _Over(interrupted=isinstance(error, KeyboardInterrupt)) from None
        known.append((said, watch.stop()))
        if said.get("interrupted"):
            raise _Over(interrupted=True)
        return known[-1]

    try:
        return quietest(once, tries=TRIES, until=until)
    except _Over as over:
        return over.taken(known)


def as_fact(
    said: Mapping[str, Any], machine: Machine, quality: Quality, seconds: float
) -> BenchTransfer:
    """Windows as medians with intervals, and the share of the copy that is hidden."""
    size: int = said["batch_bytes"]
    copies = tuple(_copy(name, size, rows) for name, rows in said["copies"].items())
    copy = spread([total for total, _ in said["copies"][PINNED]])
    alone = spread(said["steps"].get(ALONE, ()))
    steps = tuple(
        _step(name, rows, copy.value, alone.value)
        for name, rows in said["steps"].items()
        if name != ALONE and copy and alone
    )
    return BenchTransfer(
        host=host(machine, said["python"]),
        device=said["device"],
        torch=said["torch"],
        batch_bytes=size,
        copies=copies,
        compute_seconds=alone.value if alone else None,
        steps=steps,
        quality=quality,
        seconds=seconds,
        interrupted=bool(said.get("interrupted")),
    )


def _copy(name: str, size: int, rows: list[tuple[float, float]]) -> Copy:
    rate = spread([size / total for total, _ in rows])
    returns = spread([returned for _, returned in rows])
    assert rate and returns  # noqa: S101, PT018  (at least three rounds are made)
    return Copy(name=name, rate=rate, returns=returns)


def _step(name: str, rows: list[float], copy: float, alone: float) -> Step:
    seconds = spread(rows)
    assert seconds is not None  # noqa: S101  (at least three rounds are made)
    hidden = (alone + copy - seconds.value) / copy if copy else 0.0
    return Step(name=name, seconds=seconds, hidden=min(1.0, max(0.0, hidden)))


def _run(line: list[str], environ: Mapping[str, str], patience: float) -> Any:
    """
    What the program says; raises Unreadable. It leaves no process behind.

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
        raise Unreadable(message) from error
    with process:  # closes the pipe and waits, so that nothing is left
        try:
            answer, _ = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            message = f"no answer after {patience:.0f} s: torch or the driver hangs,"
            message += " or needs a larger --budget"
            raise Unreadable(message) from None
        except KeyboardInterrupt:
            _end(process)
            said = _last(process.communicate()[0])
            if "copies" not in said:
                raise
            return {**said, "interrupted": True}
        finally:
            _end(process)
    return _whole(answer, process.returncode)


def _end(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


def _whole(answer: bytes, code: int) -> dict[str, Any]:
    """The last word of a program that ended by itself; raises Unreadable."""
    said = _last(answer)
    if not answer or said.get("partial"):
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        message = f"its process ended with {how}"
        raise Unreadable(message)
    if not said:
        message = "it printed something else than an answer"
        raise Unreadable(message)
    if "error" in said:
        raise Unreadable(said["error"])
    return said


def _last(answer: bytes) -> dict[str, Any]:
    """The last line that is an answer; nothing where there is none."""
    for line in reversed(answer.splitlines()):
        with contextlib.suppress(ValueError):
            said = json.loads(line)
            if isinstance(said, dict):
                return cast("dict[str, Any]", said)
    return {}
