"""Lanes for platforms without `fork`: daemon threads, which no exit waits for."""

import queue
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from pipedoctor.runtime.probe import (
    NEVER_STARTED,
    LaneProgressCallback,
    Outcome,
    Probe,
    StartCallback,
    group_by_lane,
    make_hung_outcome,
    run_probe,
    run_without_children,
)

Inbox = queue.SimpleQueue[tuple["_ThreadLane", Outcome]]


@dataclass(eq=False)
class _ThreadLane:
    probes: deque[Probe]
    inbox: Inbox
    began: float = field(default_factory=time.monotonic)
    doing: str = ""
    abandoned: bool = False

    def run_probes(self) -> None:
        """Run every probe, unless the lane was abandoned meanwhile."""
        for probe in tuple(self.probes):
            outcome = Outcome(**run_probe(probe, self.announce))
            if self.abandoned:
                return
            self.inbox.put((self, outcome))

    def announce(self, doing: str) -> None:
        self.doing = doing


def run_in_threads(
    probes: Sequence[Probe],
    *,
    until: float,
    on_progress: LaneProgressCallback = lambda _: None,
    on_start: StartCallback = lambda: None,
) -> dict[str, Outcome]:
    """Run probes like `lanes`; a late one is abandoned, its thread goes on."""
    outcomes: dict[str, Outcome] = {}
    inbox: Inbox = queue.SimpleQueue()
    started = (_start_lane(lane, inbox, outcomes) for lane in group_by_lane(probes))
    lanes = [lane for lane in started if lane]
    on_start()
    while lanes and time.monotonic() < until:
        _receive_outcome(inbox, outcomes, min(0.1, max(0.0, until - time.monotonic())))
        now = time.monotonic()
        for lane in list(lanes):
            if not lane.probes:
                lanes.remove(lane)
            elif now - lane.began > lane.probes[0].timeout:
                lanes.remove(lane)
                _abandon_lane(lane, outcomes, now)
                rest = _start_lane(lane.probes, inbox, outcomes) if lane.probes else None
                lanes += [rest] if rest else []
        running = [lane for lane in lanes if lane.probes]
        on_progress([(lane.probes[0].name, now - lane.began) for lane in running])
    for lane in lanes:
        if lane.probes:
            _abandon_lane(lane, outcomes, time.monotonic())
    for probe in probes:
        outcomes.setdefault(probe.name, Outcome(reason=NEVER_STARTED))
    return outcomes


def _start_lane(
    probes: deque[Probe], inbox: Inbox, outcomes: dict[str, Outcome]
) -> _ThreadLane | None:
    lane = _ThreadLane(probes, inbox)
    try:
        threading.Thread(target=lane.run_probes, daemon=True).start()
    except RuntimeError as error:
        run_without_children(probes, outcomes, str(error))
        return None
    return lane


def _receive_outcome(inbox: Inbox, outcomes: dict[str, Outcome], timeout: float) -> None:
    try:
        lane, outcome = inbox.get(timeout=timeout)
    except queue.Empty:
        return
    if not lane.abandoned:
        outcomes[lane.probes.popleft().name] = outcome
        lane.began, lane.doing = time.monotonic(), ""


def _abandon_lane(lane: _ThreadLane, outcomes: dict[str, Outcome], now: float) -> None:
    lane.abandoned = True
    probe = lane.probes.popleft()
    outcomes[probe.name] = make_hung_outcome(now - lane.began, lane.doing)
