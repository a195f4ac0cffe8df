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
from typing import TYPE_CHECKING

import msgspec

from pipedoctor.runtime.child import pop_messages, run_child
from pipedoctor.runtime.probe import (
    NEVER_STARTED,
    Announce,
    LaneProgressCallback,
    Outcome,
    Probe,
    StartCallback,
    group_by_lane,
    make_hung_outcome,
    run_without_children,
)
from pipedoctor.units import name_signal

if TYPE_CHECKING:
    from pipedoctor.runtime.blocked_call import ProcessSample

__all__ = [
    "CAN_FORK",
    "Announce",
    "LaneProgressCallback",
    "Outcome",
    "Probe",
    "StartCallback",
    "run_in_processes",
]

CAN_FORK = hasattr(os, "fork")
MAX_LANES = 16
REAP_TIMEOUT = 0.3
"""Seconds to wait for killed children: those that die leave no zombie."""

_TEMPORARY_ERRNOS = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)


class _ProcessLane(msgspec.Struct, eq=False):
    probes: deque[Probe]
    pid: int
    pipe: int
    began: float
    doing: str = ""
    ended: bool = False
    grace: float = 0.0
    """Seconds more than its probe's timeout: it was at work when that was over."""
    buffer: bytearray = msgspec.field(default_factory=bytearray)


class _LaneSchedule(msgspec.Struct, eq=False):
    """All lanes of one run: waiting, running, and killed but not yet reaped."""

    waiting: deque[deque[Probe]]
    lanes: list[_ProcessLane] = msgspec.field(default_factory=list[_ProcessLane])
    killed_pids: set[int] = msgspec.field(default_factory=set[int])
    outcomes: dict[str, Outcome] = msgspec.field(default_factory=dict[str, Outcome])


def run_in_processes(
    probes: Sequence[Probe],
    *,
    until: float,
    on_progress: LaneProgressCallback = lambda _: None,
    on_start: StartCallback = lambda: None,
) -> dict[str, Outcome]:
    """
    Run all probes; come back when all answered or the clock says `until`.

    `until` is on `time.monotonic`'s clock. Every probe has an outcome.
    """
    clinic = _LaneSchedule(deque(group_by_lane(probes)))
    try:
        _start_lanes(clinic)
        on_start()
        while (clinic.waiting or clinic.lanes) and time.monotonic() < until:
            _start_lanes(clinic)
            _wait_for_output(clinic.lanes, until)
            now = time.monotonic()
            for lane in clinic.lanes:
                _read_output(lane, clinic.outcomes, now)
            over = [lane for lane in clinic.lanes if _is_over(lane, now)]
            _close_lanes(clinic, over, now, has_time=True)
            running = [lane for lane in clinic.lanes if lane.probes]
            on_progress([(lane.probes[0].name, now - lane.began) for lane in running])
    finally:
        _close_lanes(clinic, list(clinic.lanes), time.monotonic())
        _reap_children(clinic.killed_pids)
    for probe in probes:
        clinic.outcomes.setdefault(probe.name, Outcome(reason=NEVER_STARTED))
    return clinic.outcomes


def _start_lanes(schedule: _LaneSchedule) -> None:
    """Start as many lanes as allowed; one that is refused for now waits."""
    while schedule.waiting and len(schedule.lanes) < MAX_LANES:
        probes = schedule.waiting[0]
        try:
            lane = _fork_lane(probes)
        except OSError as error:
            if schedule.lanes and error.errno in _TEMPORARY_ERRNOS:
                return  # when a lane ends, there is room for another
            run_without_children(probes, schedule.outcomes, error.strerror or str(error))
        else:
            schedule.lanes.append(lane)
        schedule.waiting.popleft()


def _fork_lane(probes: deque[Probe]) -> _ProcessLane:
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
        run_child(probes, writer)
    os.close(writer)
    os.set_blocking(reader, False)
    return _ProcessLane(probes, pid, reader, time.monotonic())


def _wait_for_output(lanes: Iterable[_ProcessLane], until: float) -> None:
    """Sleep until a lane has something to say, or for a tenth of a second."""
    poll = select.poll()
    for lane in lanes:
        poll.register(lane.pipe, select.POLLIN)
    left = max(0.0, until - time.monotonic())
    if lanes:
        poll.poll(min(100.0, left * 1000))


def _read_output(lane: _ProcessLane, outcomes: dict[str, Outcome], now: float) -> None:
    """Take in what the child wrote; a closed pipe means that it ended."""
    with contextlib.suppress(BlockingIOError):
        while data := os.read(lane.pipe, 1 << 16):
            lane.buffer += data
        lane.ended = True
    for message in pop_messages(lane.buffer):
        if "doing" in message:
            lane.doing = message["doing"]
        else:
            outcomes[lane.probes.popleft().name] = Outcome(**message)
            lane.began, lane.doing, lane.grace = now, "", 0.0


def _is_over(lane: _ProcessLane, now: float) -> bool:
    return lane.ended or not lane.probes or _is_late(lane, now)


def _is_late(lane: _ProcessLane, now: float) -> bool:
    return now - lane.began > lane.probes[0].timeout + lane.grace


def _close_lanes(
    schedule: _LaneSchedule, lanes: Sequence[_ProcessLane], now: float, *, has_time: bool = False
) -> None:
    """
    End these lanes; of those that still work the kernel is asked where they sleep.

    One that sleeps nowhere waits for a CPU, or computes: while there is time, it gets as
    much again, once.
    """
    asleep = [lane.pid for lane in lanes if lane.probes and not lane.ended]
    samples = _sample_lanes(asleep) if asleep else {}
    for lane in lanes:
        sample = samples.get(lane.pid)
        if has_time and not lane.grace and _is_busy(sample):
            lane.grace = lane.probes[0].timeout
        else:
            _close_lane(schedule, lane, now, sample)


def _is_busy(sample: "ProcessSample | None") -> bool:
    """Was it at work in both looks, and nowhere asleep? None: nobody can say."""
    return sample is not None and sample.is_running and not sample.calls


def _sample_lanes(pids: Sequence[int]) -> "dict[int, ProcessSample]":
    from pipedoctor.runtime.blocked_call import (  # noqa: PLC0415  (few runs meet a hang)
        find_blocked_calls,
    )

    return find_blocked_calls(pids)


def _close_lane(
    schedule: _LaneSchedule, lane: _ProcessLane, now: float, sample: "ProcessSample | None"
) -> None:
    """
    End a lane; the probe it hung in is named, those behind it get a lane each.

    So probes that hardly ever hang can share a lane: if one does, no other waits for
    more than that one.
    """
    schedule.lanes.remove(lane)
    os.close(lane.pipe)
    _kill_child(lane.pid)
    how = _describe_exit(lane.pid) if lane.ended else ""
    if not how:
        schedule.killed_pids.add(lane.pid)
    if not lane.probes:
        return
    probe = lane.probes.popleft()
    if lane.ended:
        reason = how or "its process went away without an answer"
        schedule.outcomes[probe.name] = Outcome(reason=reason, doing=lane.doing)
    else:
        waited = now - lane.began
        calls = [call for _, call in sample.calls.values()] if sample else []
        schedule.outcomes[probe.name] = make_hung_outcome(
            waited,
            lane.doing,
            calls[0] if calls else None,
            hung=not _is_busy(sample),
        )
    schedule.waiting.extend(deque((probe,)) for probe in lane.probes)


def _kill_child(pid: int) -> None:
    """Kill a child, if it still lives, and what it started; it is not reaped yet."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            kill(pid, signal.SIGKILL)


def _describe_exit(pid: int) -> str:
    """How a child ended that closed its pipe; empty while it has not."""
    for _ in range(20):
        reaped, status = os.waitpid(pid, os.WNOHANG)
        if reaped:
            code = os.waitstatus_to_exitcode(status)
            return (
                f"its process died of {name_signal(-code)}"
                if code < 0
                else "its process ended without an answer"
            )
        time.sleep(0.01)
    return ""


def _reap_children(pids: set[int]) -> None:
    """Reap killed children; one that even SIGKILL cannot end is left to init."""
    until = time.monotonic() + REAP_TIMEOUT
    while pids:
        for pid in list(pids):
            reaped, _ = os.waitpid(pid, os.WNOHANG)
            if reaped:
                pids.discard(pid)
        if not pids or time.monotonic() > until:
            return
        time.sleep(0.001)
