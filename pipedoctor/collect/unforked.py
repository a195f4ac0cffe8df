"""Lanes for platforms without `fork`: daemon threads, which no exit waits for."""

import queue
import threading
import time
from collections.abc import Callable, Sequence

from pipedoctor.collect.lanes import Outcome, Probe, Watch, answer, by_lane, hung

Inbox = queue.SimpleQueue[tuple[str, Outcome]]


def run(
    probes: Sequence[Probe], *, until: float, watch: Watch = lambda _: None
) -> dict[str, Outcome]:
    """As `lanes.run`; a late probe is given up, its thread is not."""
    inbox: Inbox = queue.SimpleQueue()
    began: dict[str, float] = {}
    doing: dict[str, str] = {}
    for lane in by_lane(probes):
        work = _worker(tuple(lane), inbox, began, doing)
        threading.Thread(target=work, daemon=True).start()

    outcomes: dict[str, Outcome] = {}
    while len(outcomes) < len(probes) and time.monotonic() < until:
        _take(inbox, outcomes, min(0.1, max(0.0, until - time.monotonic())))
        now = time.monotonic()
        running = [p for p in probes if p.name in began and p.name not in outcomes]
        for probe in running:
            if now - began[probe.name] > probe.patience:
                spent = now - began[probe.name]
                outcomes[probe.name] = hung(spent, doing.get(probe.name, ""))
        watch([(probe.name, now - began[probe.name]) for probe in running])
    for probe in probes:
        if probe.name in began and probe.name not in outcomes:
            spent = time.monotonic() - began[probe.name]
            outcomes[probe.name] = hung(spent, doing.get(probe.name, ""))
        never = Outcome(reason="the deadline came before its turn")
        outcomes.setdefault(probe.name, never)
    return outcomes


def _take(inbox: Inbox, outcomes: dict[str, Outcome], patience: float) -> None:
    try:
        name, outcome = inbox.get(timeout=patience)
    except queue.Empty:
        return
    outcomes.setdefault(name, outcome)


def _worker(
    lane: tuple[Probe, ...],
    inbox: Inbox,
    began: dict[str, float],
    doing: dict[str, str],
) -> Callable[[], None]:
    def work() -> None:
        for probe in lane:
            began[probe.name] = time.monotonic()

            def announce(what: str, name: str = probe.name) -> None:
                doing[name] = what

            inbox.put((probe.name, Outcome(**answer(probe, announce))))

    return work
