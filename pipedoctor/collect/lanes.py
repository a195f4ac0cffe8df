"""
Run collectors beside each other in processes that can be abandoned.

A call that hangs in the kernel (a dead NFS server, a wedged driver) can be
interrupted neither in a thread nor, at times, by SIGKILL. So every lane is a child
that owns nothing of ours but one pipe: when it is late we kill it, do not wait for
it, and go on. Where no child can be started, collectors that read only /proc and
/sys run here instead, the others are reported as not started.
"""

import contextlib
import errno
import os
import select
import signal
import time
import warnings
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pipedoctor.collect.child import child, messages
from pipedoctor.collect.probe import (
    NEVER,
    Announce,
    Meanwhile,
    Outcome,
    Probe,
    Watch,
    by_lane,
    hung,
    stay_here,
)

__all__ = ["CAN_FORK", "Announce", "Meanwhile", "Outcome", "Probe", "Watch", "run"]

CAN_FORK = hasattr(os, "fork")
MOST_LANES = 16
BURIAL = 0.3
"""Seconds to wait for killed children: those that die leave no zombie."""

_TEMPORARY = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)


@dataclass
class _Lane:
    probes: deque[Probe]
    pid: int
    pipe: int
    began: float
    doing: str = ""
    ended: bool = False
    buffer: bytearray = field(default_factory=bytearray)


@dataclass
class _Clinic:
    """All lanes of one run: those that wait, work, and wait for burial."""

    waiting: deque[deque[Probe]]
    lanes: list[_Lane] = field(default_factory=list[_Lane])
    dying: set[int] = field(default_factory=set[int])
    outcomes: dict[str, Outcome] = field(default_factory=dict[str, Outcome])


def run(
    probes: Sequence[Probe],
    *,
    until: float,
    watch: Watch = lambda _: None,
    meanwhile: Meanwhile = lambda: None,
) -> dict[str, Outcome]:
    """
    Run all probes; come back when all answered or the clock says `until`.

    `until` is on `time.monotonic`'s clock. Every probe has an outcome.
    """
    clinic = _Clinic(deque(by_lane(probes)))
    try:
        _fill(clinic)
        meanwhile()
        while (clinic.waiting or clinic.lanes) and time.monotonic() < until:
            _fill(clinic)
            _listen(clinic.lanes, until)
            now = time.monotonic()
            for lane in list(clinic.lanes):
                _drain(lane, clinic.outcomes, now)
                if lane.ended or not lane.probes or _late(lane, now):
                    _close(clinic, lane, now)
            running = [lane for lane in clinic.lanes if lane.probes]
            watch([(lane.probes[0].name, now - lane.began) for lane in running])
    finally:
        for lane in list(clinic.lanes):
            _close(clinic, lane, time.monotonic())
        _bury(clinic.dying)
    for probe in probes:
        clinic.outcomes.setdefault(probe.name, Outcome(reason=NEVER))
    return clinic.outcomes


def _fill(clinic: _Clinic) -> None:
    """Start as many lanes as we may; what the system refuses waits, if it can."""
    while clinic.waiting and len(clinic.lanes) < MOST_LANES:
        probes = clinic.waiting[0]
        try:
            lane = _start(probes)
        except OSError as error:
            if clinic.lanes and error.errno in _TEMPORARY:
                return  # when a lane ends, there is room for another
            stay_here(probes, clinic.outcomes, error.strerror or str(error))
        else:
            clinic.lanes.append(lane)
        clinic.waiting.popleft()


def _start(probes: deque[Probe]) -> _Lane:
    reader, writer = os.pipe()
    try:
        with warnings.catch_warnings():
            # Other threads may hold locks that the child needs: it would hang, and
            # a lane that hangs is what this module is for.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
    except OSError:
        os.close(reader)
        os.close(writer)
        raise
    if pid == 0:
        child(probes, writer)
    os.close(writer)
    os.set_blocking(reader, False)
    return _Lane(probes, pid, reader, time.monotonic())


def _listen(lanes: Iterable[_Lane], until: float) -> None:
    """Sleep until a lane has something to say, or for a tenth of a second."""
    poll = select.poll()
    for lane in lanes:
        poll.register(lane.pipe, select.POLLIN)
    left = max(0.0, until - time.monotonic())
    if lanes:
        poll.poll(min(100.0, left * 1000))


def _drain(lane: _Lane, outcomes: dict[str, Outcome], now: float) -> None:
    """Take in what the child wrote; a closed pipe means that it ended."""
    with contextlib.suppress(BlockingIOError):
        while data := os.read(lane.pipe, 1 << 16):
            lane.buffer += data
        lane.ended = True
    for message in messages(lane.buffer):
        if "doing" in message:
            lane.doing = message["doing"]
        else:
            outcomes[lane.probes.popleft().name] = Outcome(**message)
            lane.began, lane.doing = now, ""


def _late(lane: _Lane, now: float) -> bool:
    return now - lane.began > lane.probes[0].patience


def _close(clinic: _Clinic, lane: _Lane, now: float) -> None:
    """
    End a lane; the probe it hung in is named, those behind it get a lane each.

    So probes that hardly ever hang can share a lane: if one does, no other waits for
    more than that one.
    """
    clinic.lanes.remove(lane)
    os.close(lane.pipe)
    _kill(lane.pid)
    how = _ending(lane.pid) if lane.ended else ""
    if not how:
        clinic.dying.add(lane.pid)
    if not lane.probes:
        return
    probe = lane.probes.popleft()
    if lane.ended:
        reason = how or "its process went away without an answer"
        clinic.outcomes[probe.name] = Outcome(reason=reason, doing=lane.doing)
    else:
        clinic.outcomes[probe.name] = hung(now - lane.began, lane.doing)
    clinic.waiting.extend(deque((probe,)) for probe in lane.probes)


def _kill(pid: int) -> None:
    """Kill a child, if it still lives, and what it started; it is not reaped yet."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            kill(pid, signal.SIGKILL)


def _ending(pid: int) -> str:
    """How a child ended that closed its pipe; empty while it has not."""
    for _ in range(20):
        reaped, status = os.waitpid(pid, os.WNOHANG)
        if reaped:
            code = os.waitstatus_to_exitcode(status)
            return (
                f"its process died of {_signal_name(-code)}"
                if code < 0
                else "its process ended without an answer"
            )
        time.sleep(0.01)
    return ""


def _signal_name(number: int) -> str:
    known = {member.value: member.name for member in signal.Signals}
    return known.get(number, f"signal {number}")


def _bury(pids: set[int]) -> None:
    """Reap killed children; one that even SIGKILL cannot end is left to init."""
    until = time.monotonic() + BURIAL
    while pids:
        for pid in list(pids):
            reaped, _ = os.waitpid(pid, os.WNOHANG)
            if reaped:
                pids.discard(pid)
        if not pids or time.monotonic() > until:
            return
        time.sleep(0.001)
