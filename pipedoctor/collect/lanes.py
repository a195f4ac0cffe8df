"""
Run collectors beside each other in processes that can be abandoned.

A call that hangs in the kernel (a dead NFS server, a wedged driver) can be
interrupted neither in a thread nor, at times, by SIGKILL. So every lane is a child
that owns nothing of ours but one pipe: when it is late we kill it, do not wait for
it, and go on. Where no child can be started, collectors that read only /proc and
/sys run here instead, the others are reported as not started.
"""

import contextlib
import os
import select
import signal
import struct
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from pipedoctor.attempt import Crash, attempt
from pipedoctor.facts import Unreadable

CAN_FORK = hasattr(os, "fork")
MOST_LANES = 16
_HEAD = struct.Struct("<I")
_LARGEST = 256 << 20

Announce = Callable[[str], None]
Work = Callable[[Announce], Any]


@dataclass(frozen=True, kw_only=True)
class Probe:
    """
    One reading: `work` gets a function to announce each call that may hang.

    Probes of one `lane` run one after the other. `steady`: it cannot hang by any
    illness we know, so it may run in this process when no child can be started.
    """

    name: str
    work: Work
    lane: str = "steady"
    patience: float = 3.0
    steady: bool = False


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a probe: a value, or why there is none."""

    value: Any = None
    reason: str = ""
    trace: str = ""
    hung: bool = False
    doing: str = ""
    seconds: float = 0.0

    @property
    def known(self) -> bool:
        """Did it come back with a value?"""
        return not self.reason


Watch = Callable[[list[tuple[str, float]]], None]
"""Told now and then which probes run, and for how many seconds."""


@dataclass
class _Lane:
    probes: deque[Probe]
    pid: int
    pipe: int
    began: float
    doing: str = ""
    ended: bool = False
    buffer: bytearray = field(default_factory=bytearray)


def run(
    probes: Sequence[Probe], *, until: float, watch: Watch = lambda _: None
) -> dict[str, Outcome]:
    """
    Run all probes; come back when all answered or the clock says `until`.

    `until` is on `time.monotonic`'s clock. Every probe has an outcome.
    """
    outcomes: dict[str, Outcome] = {}
    waiting = deque(by_lane(probes))
    lanes: list[_Lane] = []
    try:
        while (waiting or lanes) and time.monotonic() < until:
            while waiting and len(lanes) < MOST_LANES:
                lane = _start(waiting.popleft(), outcomes)
                lanes += [lane] if lane else []
            _listen(lanes, until)
            now = time.monotonic()
            for lane in list(lanes):
                _drain(lane, outcomes, now)
                if lane.ended or not lane.probes or _late(lane, now):
                    lanes.remove(lane)
                    rest = _close(lane, outcomes, now)
                    waiting += [rest] if rest else []
            watch([(la.probes[0].name, now - la.began) for la in lanes if la.probes])
    finally:
        for lane in lanes:
            _close(lane, outcomes, time.monotonic())
    for probe in probes:
        reason = "the deadline came before its turn"
        outcomes.setdefault(probe.name, Outcome(reason=reason))
    return outcomes


def by_lane(probes: Iterable[Probe]) -> list[deque[Probe]]:
    """Sort probes into their lanes, both in order of appearance."""
    lanes: dict[str, deque[Probe]] = {}
    for probe in probes:
        lanes.setdefault(probe.lane, deque()).append(probe)
    return list(lanes.values())


def _start(probes: deque[Probe], outcomes: dict[str, Outcome]) -> _Lane | None:
    try:
        reader, writer = os.pipe()
    except OSError as error:
        _stay_here(probes, outcomes, error)
        return None
    try:
        pid = os.fork()
    except OSError as error:
        os.close(reader)
        os.close(writer)
        _stay_here(probes, outcomes, error)
        return None
    if pid == 0:
        _child(probes, writer)
    os.close(writer)
    os.set_blocking(reader, False)
    return _Lane(probes, pid, reader, time.monotonic())


def _stay_here(
    probes: Iterable[Probe], outcomes: dict[str, Outcome], error: OSError
) -> None:
    """No child to be had: do what cannot hang in this process, name the rest."""
    for probe in probes:
        if probe.steady:
            outcomes[probe.name] = Outcome(**answer(probe, lambda _: None))
        else:
            reason = f"no process could be started for it: {error.strerror}"
            outcomes[probe.name] = Outcome(reason=reason)


def _child(probes: Iterable[Probe], pipe: int) -> NoReturn:
    """Work through the lane, send every result at once, and vanish."""
    try:
        _let_go(pipe)

        def announce(doing: str) -> None:
            _send(pipe, {"doing": doing})

        for probe in probes:
            _send(pipe, answer(probe, announce))
    finally:
        os._exit(0)


def _let_go(pipe: int) -> None:
    """Own nothing that somebody else waits for: terminal, pipes, process group."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    for descriptor in _open_descriptors():
        if descriptor > 2 and descriptor != pipe:  # noqa: PLR2004
            with contextlib.suppress(OSError):
                os.close(descriptor)


def _open_descriptors() -> list[int]:
    try:
        return [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]
    except OSError:
        return list(range(3, 4096))


def answer(probe: Probe, announce: Announce) -> dict[str, Any]:
    """Run one probe to its end, whatever end that is; the fields of an `Outcome`."""

    def work() -> dict[str, Any]:
        try:
            return {"value": probe.work(announce)}
        except Unreadable as reason:
            return {"reason": str(reason) or "unreadable"}

    began = time.monotonic()
    done = attempt(work)
    if isinstance(done, Crash):
        answer = {"reason": f"crashed: {done.reason}", "trace": done.trace}
    else:
        answer = done.value
    return answer | {"seconds": time.monotonic() - began}


def _send(pipe: int, message: dict[str, Any]) -> None:
    body = msgspec.msgpack.encode(message)
    data = memoryview(_HEAD.pack(len(body)) + body)
    while data:
        data = data[os.write(pipe, data) :]


def _listen(lanes: list[_Lane], until: float) -> None:
    """Sleep until a lane has something to say, or for a tenth of a second."""
    if not lanes:
        return
    poll = select.poll()
    for lane in lanes:
        poll.register(lane.pipe, select.POLLIN)
    left = max(0.0, until - time.monotonic())
    poll.poll(min(100.0, left * 1000))


def _drain(lane: _Lane, outcomes: dict[str, Outcome], now: float) -> None:
    """Take in what the child wrote; a closed pipe means that it ended."""
    with contextlib.suppress(BlockingIOError):
        while data := os.read(lane.pipe, 1 << 16):
            lane.buffer += data
        lane.ended = True
    for message in _messages(lane.buffer):
        if "doing" in message:
            lane.doing = message["doing"]
        else:
            outcomes[lane.probes.popleft().name] = Outcome(**message)
            lane.began, lane.doing = now, ""
    if lane.ended and lane.probes:
        how = _how_it_ended(lane.pid)
        outcomes[lane.probes.popleft().name] = Outcome(reason=how, doing=lane.doing)


def _late(lane: _Lane, now: float) -> bool:
    return now - lane.began > lane.probes[0].patience


def _messages(buffer: bytearray) -> Iterator[dict[str, Any]]:
    while len(buffer) >= _HEAD.size:
        (length,) = _HEAD.unpack_from(buffer)
        end = _HEAD.size + length
        if length > _LARGEST or len(buffer) < end:
            return
        yield msgspec.msgpack.decode(buffer[_HEAD.size : end])
        del buffer[:end]


def _how_it_ended(pid: int) -> str:
    for _ in range(20):
        reaped, status = os.waitpid(pid, os.WNOHANG)
        if reaped:
            code = os.waitstatus_to_exitcode(status)
            return (
                f"its process died of {signal.Signals(-code).name}"
                if code < 0
                else "its process ended without an answer"
            )
        time.sleep(0.01)
    return "its process closed its pipe without an answer"


def _close(
    lane: _Lane, outcomes: dict[str, Outcome], now: float
) -> deque[Probe] | None:
    """End a lane; the probe it hung in is named, those behind it get a new lane."""
    os.close(lane.pipe)
    if lane.ended:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(lane.pid, os.WNOHANG)
        return lane.probes or None
    os.kill(lane.pid, signal.SIGKILL)  # not reaped before: the PID is still ours
    os.waitpid(lane.pid, os.WNOHANG)
    if lane.probes:
        probe = lane.probes.popleft()
        outcomes[probe.name] = hung(now - lane.began, lane.doing)
    return lane.probes or None


def hung(spent: float, doing: str) -> Outcome:
    """Say which call did not come back, and how long we waited."""
    at = f" in {doing}" if doing else ""
    reason = f"no answer after {spent:.1f} s{at}"
    return Outcome(reason=reason, hung=True, doing=doing, seconds=spent)
