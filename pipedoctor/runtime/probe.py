"""One reading and what came of it, whatever runs it."""

import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime.attempt import Crash, attempt
from pipedoctor.textsafe import escape_surrogates

if TYPE_CHECKING:
    from pipedoctor.runtime.blocked_call import BlockedCall

Announce = Callable[[str], None]
Work = Callable[[Announce], Any]

NEVER_STARTED = "the deadline passed before it could start"


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """
    One reading: `work` gets a function to announce each call that may hang.

    Probes of one `lane` run one after the other. `never_hangs`: it cannot hang by any
    illness we know, so it may run in this process when no child can be started.
    """

    name: str
    work: Work
    lane: str = "steady"
    timeout: float = 3.0
    never_hangs: bool = False


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a probe: a value, or why there is none."""

    value: Any = None
    reason: str = ""
    trace: str = ""
    hung: bool = False
    doing: str = ""
    blocked_path: str = ""
    """The path that the call in which it hangs is about, where the kernel tells."""
    seconds: float = 0.0

    @property
    def has_value(self) -> bool:
        """Did it come back with a value?"""
        return not self.reason


LaneProgressCallback = Callable[[list[tuple[str, float]]], None]
"""Told now and then which probes run, and for how many seconds."""

StartCallback = Callable[[], object]
"""Something to do once, as soon as the first probes run."""


def group_by_lane(probes: Iterable[Probe]) -> list[deque[Probe]]:
    """Sort probes into their lanes, both in order of appearance."""
    lanes: dict[str, deque[Probe]] = {}
    for probe in probes:
        lanes.setdefault(probe.lane, deque()).append(probe)
    return list(lanes.values())


def run_probe(probe: Probe, announce: Announce) -> dict[str, Any]:
    """Run one probe whatever happens, and return the fields of its `Outcome`."""

    def work() -> dict[str, Any]:
        try:
            return {"value": probe.work(announce)}
        except UnreadableError as reason:
            return {"reason": str(reason) or "unreadable"}

    began = time.monotonic()
    done = attempt(work)
    if isinstance(done, Crash):
        answer = {"reason": f"crashed: {done.reason}", "trace": done.trace}
    else:
        answer = done.value
    return answer | {"seconds": time.monotonic() - began}


def run_without_children(
    probes: Iterable[Probe], outcomes: dict[str, Outcome], refusal: str
) -> None:
    """Run probes that cannot hang in this process; report the others as not run."""
    for probe in probes:
        if probe.never_hangs:
            outcomes[probe.name] = Outcome(**run_probe(probe, lambda _: None))
        else:
            reason = f"nothing could be started to read it: {refusal}"
            outcomes[probe.name] = Outcome(reason=reason)


def make_hung_outcome(
    seconds: float, doing: str, blocked_call: "BlockedCall | None" = None, *, hung: bool = True
) -> Outcome:
    """
    Build the outcome of a call that did not return, with how long we waited.

    What the kernel says counts for more than what was announced. `hung`: False where
    it was busy when its time was cut short.
    """
    path = escape_surrogates(blocked_call.path) if blocked_call else ""
    if blocked_call and path not in doing.split(" ", 1):
        doing = f"{blocked_call.call} {path}"
    at = f" in {doing}" if doing else ""
    reason = f"no answer after {seconds:.1f} s{at}"
    return Outcome(reason=reason, hung=hung, doing=doing, blocked_path=path, seconds=seconds)
