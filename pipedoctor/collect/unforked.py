"""Lanes for platforms without `fork`: daemon threads, which no exit waits for."""

import queue
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from pipedoctor.collect.probe import (
    NEVER,
    Meanwhile,
    Outcome,
    Probe,
    Watch,
    answer,
    by_lane,
    hung,
    stay_here,
)

Inbox = queue.SimpleQueue[tuple["_Lane", Outcome]]


@dataclass(eq=False)
class _Lane:
    probes: deque[Probe]
    inbox: Inbox
    began: float = field(default_factory=time.monotonic)
    doing: str = ""
    abandoned: bool = False

    def work(self) -> None:
        """Answer every probe, unless somebody lost patience meanwhile."""
        for probe in tuple(self.probes):
            outcome = Outcome(**answer(probe, self.announce))
            if self.abandoned:
                return
            self.inbox.put((self, outcome))

    def announce(self, doing: str) -> None:
        self.doing = doing


def run(
    probes: Sequence[Probe],
    *,
    until: float,
    watch: Watch = lambda _: None,
    meanwhile: Meanwhile = lambda: None,
) -> dict[str, Outcome]:
    """As `lanes.run`; a late probe is given up, its thread is not."""
    outcomes: dict[str, Outcome] = {}
    inbox: Inbox = queue.SimpleQueue()
    started = (_start(lane, inbox, outcomes) for lane in by_lane(probes))
    lanes = [lane for lane in started if lane]
    meanwhile()
    while lanes and time.monotonic() < until:
        _take(inbox, outcomes, min(0.1, max(0.0, until - time.monotonic())))
        now = time.monotonic()
        for lane in list(lanes):
            if not lane.probes:
                lanes.remove(lane)
            elif now - lane.began > lane.probes[0].patience:
                lanes.remove(lane)
                _give_up(lane, outcomes, now)
                rest = _start(lane.probes, inbox, outcomes) if lane.probes else None
                lanes += [rest] if rest else []
        running = [lane for lane in lanes if lane.probes]
        watch([(lane.probes[0].name, now - lane.began) for lane in running])
    for lane in lanes:
        if lane.probes:
            _give_up(lane, outcomes, time.monotonic())
    for probe in probes:
        outcomes.setdefault(probe.name, Outcome(reason=NEVER))
    return outcomes


def _start(
    probes: deque[Probe], inbox: Inbox, outcomes: dict[str, Outcome]
) -> _Lane | None:
    lane = _Lane(probes, inbox)
    try:
        threading.Thread(target=lane.work, daemon=True).start()
    except RuntimeError as error:
        stay_here(probes, outcomes, str(error))
        return None
    return lane


def _take(inbox: Inbox, outcomes: dict[str, Outcome], patience: float) -> None:
    try:
        lane, outcome = inbox.get(timeout=patience)
    except queue.Empty:
        return
    if not lane.abandoned:
        outcomes[lane.probes.popleft().name] = outcome
        lane.began, lane.doing = time.monotonic(), ""


def _give_up(lane: _Lane, outcomes: dict[str, Outcome], now: float) -> None:
    lane.abandoned = True
    probe = lane.probes.popleft()
    outcomes[probe.name] = hung(now - lane.began, lane.doing)
