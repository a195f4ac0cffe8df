"""One reading and what came of it, whatever runs it."""

import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from pipedoctor.attempt import Crash, attempt
from pipedoctor.facts import Unreadable

Announce = Callable[[str], None]
Work = Callable[[Announce], Any]

NEVER = "the deadline came before its turn"


class Probe(msgspec.Struct, frozen=True, kw_only=True):
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


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
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

Meanwhile = Callable[[], object]
"""Something to do once, as soon as the first probes run."""


def by_lane(probes: Iterable[Probe]) -> list[deque[Probe]]:
    """Sort probes into their lanes, both in order of appearance."""
    lanes: dict[str, deque[Probe]] = {}
    for probe in probes:
        lanes.setdefault(probe.lane, deque()).append(probe)
    return list(lanes.values())


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


def stay_here(probes: Iterable[Probe], outcomes: dict[str, Outcome], why: str) -> None:
    """No child to be had: do what cannot hang in this process, name the rest."""
    for probe in probes:
        if probe.steady:
            outcomes[probe.name] = Outcome(**answer(probe, lambda _: None))
        else:
            reason = f"nothing could be started to read it: {why}"
            outcomes[probe.name] = Outcome(reason=reason)


def hung(spent: float, doing: str) -> Outcome:
    """Say which call did not come back, and how long we waited."""
    at = f" in {doing}" if doing else ""
    reason = f"no answer after {spent:.1f} s{at}"
    return Outcome(reason=reason, hung=True, doing=doing, seconds=spent)
