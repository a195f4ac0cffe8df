"""Counts of what samples showed; older ones fade, so that memory stays bounded."""

from collections import Counter
from collections.abc import Hashable
from typing import Any, TypeVar

import msgspec

K = TypeVar("K", bound=Hashable)
HALF_LIFE = 300.0
"""Seconds after which a sample counts half."""
_MIN_WEIGHT = 0.01
_MAX_KEYS = 500
"""Different lines, or calls, that are counted."""

COUNTERS = frozenset(("phases", "lines", "steps", "ran", "calls", "fetch")) | {
    *("kinds", "chosen", "converted", "delegated", "slept")
}
CodeLine = tuple[str, int, str]
"""Path, line, function."""


class SampleTally(msgspec.Struct):
    """What the samples of one process showed; numbers are samples unless told."""

    phases: Counter[str] = msgspec.field(default_factory=Counter[str])
    """By phase; outside of the loader also ``blocked``."""
    lines: Counter[CodeLine] = msgspec.field(default_factory=Counter[CodeLine])
    """Of the user, while the process worked."""
    steps: Counter[CodeLine] = msgspec.field(default_factory=Counter[CodeLine])
    """Of the user, outside of the loader."""
    ran: Counter[CodeLine] = msgspec.field(default_factory=Counter[CodeLine])
    """Of these, those that computed something that is no part of torch."""
    calls: Counter[tuple[str, str]] = msgspec.field(default_factory=Counter["tuple[str, str]"])
    """System call and what it is about, while a batch was made."""
    fetch: Counter[str] = msgspec.field(default_factory=Counter[str])
    """
    While a batch was made: running, waiting, locked, delegated, decoding, rebuilds.

    ``queued``: as `StackSample.loads_unseen` says, of a process that was never in a loader.
    """
    kinds: Counter[CodeLine] = msgspec.field(default_factory=Counter[CodeLine])
    """Lines that ran without a function whose kind is known."""
    chosen: Counter[CodeLine] = msgspec.field(default_factory=Counter[CodeLine])
    """Of the sampler, in the main process."""
    converted: Counter[CodeLine] = msgspec.field(default_factory=Counter[CodeLine])
    """Of a thread of the main process, which works on the batch that it has taken."""
    delegated: Counter[CodeLine] = msgspec.field(default_factory=Counter[CodeLine])
    """Lines that waited for threads or programs of the process itself."""
    slept: Counter[CodeLine] = msgspec.field(default_factory=Counter[CodeLine])
    """Lines that slept within a function of C, or of a library, that they called."""
    seconds: float = 0.0
    cpu: float = 0.0
    main_cpu: float = 0.0
    delay: float = 0.0
    user: float = 0.0
    system: float = 0.0
    children: float = 0.0
    """CPU of programs that it has started, and that have ended."""
    packing: float = 0.0
    """CPU of the threads that pack batches and hand them over."""
    faults: float = 0.0
    read_bytes: float = 0.0
    """That the calls seen were to read from files."""
    batches: float = 0.0
    samples: float = 0.0
    torn: float = 0.0

    def restart(self) -> None:
        """Forget what was seen before the training began."""
        for counter in (self.phases, self.steps, self.ran, self.calls):
            counter.clear()
        self.samples = self.fetch["queued"] = 0

    def decay(self, seconds: float) -> None:
        """Let what was counted lose weight, as it should in so many seconds."""
        factor = compute_decay(seconds)
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if name in COUNTERS:
                _decay_counter(value, factor)
            else:
                setattr(self, name, value * factor)

    def add(self, other: "SampleTally") -> None:
        """Count what another one has counted as well."""
        for name in self.__struct_fields__:
            mine, value = getattr(self, name), getattr(other, name)
            if name in COUNTERS:
                mine.update(value)
            else:
                setattr(self, name, mine + value)

    def compute_share(self, *phases: str) -> float:
        """Samples in these phases, of all."""
        whole = sum(self.phases.values())
        return sum(self.phases[p] for p in phases) / whole if whole else 0.0


def compute_decay(seconds: float) -> float:
    """What a count is worth after so many seconds."""
    return float(0.5 ** (seconds / HALF_LIFE))


def _decay_counter(counter: "Counter[Any]", factor: float) -> None:
    for key in list(counter):
        counter[key] *= factor  # type: ignore[assignment]
        if counter[key] < _MIN_WEIGHT:
            del counter[key]
    if len(counter) > _MAX_KEYS:
        kept = dict(counter.most_common(_MAX_KEYS // 2))
        counter.clear()
        counter.update(kept)


def sum_tallies(tallies: "list[SampleTally]") -> SampleTally:
    """All of them together."""
    whole = SampleTally()
    for tally in tallies:
        whole.add(tally)
    return whole
