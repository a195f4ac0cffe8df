"""Measure a loader before and after an edit, in turn: does the remedy help?"""

import contextlib
import time
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

from pipedoctor.bench.interval import spread
from pipedoctor.check import EPOCH, Counterfactual, Gain
from pipedoctor.facts import Setting, Trial
from pipedoctor.facts.bench import ENOUGH
from pipedoctor.tune.price import foretold
from pipedoctor.tune.probe import Failed
from pipedoctor.tune.search import Search
from pipedoctor.tune.session import Lost, Refused
from pipedoctor.tune.tuning import Order, Tuning, probed, result

LEAST = 3.0
"""Seconds that workers may take to start and to deliver."""
FIRST = 0.35
"""Share of the time for the code as it was; a pair of windows takes longer."""
PAIRS = 7
"""Of windows, before and after, next to each other; more tell little more."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What was predicted, and what was measured; `why` says why nothing was."""

    predicted: Gain | None
    measured: Gain | None
    pairs: int = 0
    why: str = ""
    broken: bool = False
    """The target cannot be used any more."""

    @property
    def helps(self) -> bool:
        """Is an epoch shorter for certain?"""
        gain = self.measured
        return gain is not None and gain.low > 0


@dataclass(frozen=True, kw_only=True)
class Before:
    """The code as it was: it stays loaded, while its file may change."""

    order: Order
    search: Search
    found: Tuning

    def compare(self, wanted: Counterfactual) -> Compared:
        """Load the code as it is now, and measure both in turn."""
        rest = portion(self.order, 1 - FIRST)
        self.search.bench.until = rest.until
        try:
            with probed(rest) as (after, _):
                predicted = foretold(self.found.seen, wanted, after.start)
                return paired(self.search, after, predicted)
        except Refused as reason:
            return Compared(predicted=None, measured=None, why=str(reason), broken=True)
        except (Failed, Lost) as reason:
            return Compared(predicted=None, measured=None, why=str(reason))


@contextlib.contextmanager
def proving(order: Order) -> Generator[Before, None, None]:
    """Probe the code as it is now; raises Refused, Failed or Lost."""
    first = portion(order, FIRST)
    with probed(first) as (search, loaded):
        search.run()
        place: Any = loaded.get("made_at")
        found = result(first, search)
        made_at = (place[0], place[1]) if place else None
        yield Before(order=order, search=search, found=replace(found, made_at=made_at))


def portion(order: Order, share: float) -> Order:
    """The same with this share of the time, from now on."""
    return replace(order, began=time.monotonic(), budget=share * order.budget)


def paired(before: Search, after: Search, predicted: Gain | None) -> Compared:
    """Windows of both next to each other, so that what drifts drifts for both."""
    left: list[float] = []
    saved: list[float] = []
    refused = ""
    window = min(1.0, max(0.2, after.bench.left / 24))
    took = 0.0
    for _ in range(PAIRS):
        begin = after.bench.left
        if begin < max(took, 4 * window):
            break
        old, new = _window(before, window), _window(after, window)
        refused = old.window.refused or new.window.refused or refused
        if not (old.window.refused or new.window.refused):
            ends = not _end_alike(old.setting, new.setting)
            was = _epoch(before, old, ends=ends)
            now = _epoch(after, new, ends=ends)
            left.append(now / was)
            saved.append(was - now)
        took = begin - after.bench.left
    ratio, seconds = spread(left), spread(saved)
    if ratio is None or seconds is None or ratio.windows < ENOUGH:
        why = refused or f"only {len(left)} pairs of windows in the time given"
        return Compared(predicted=predicted, measured=None, pairs=len(left), why=why)
    gain = Gain(
        value=1 - ratio.value,
        low=1 - ratio.high,
        high=1 - ratio.low,
        unit=EPOCH,
        basis="measured",
        seconds=None if before.base.samples is None else seconds.value,
    )
    return Compared(predicted=predicted, measured=gain, pairs=len(left))


def _window(search: Search, seconds: float) -> Trial:
    """The loader as it is, with workers that start as the job starts them."""
    return search.bench.measure(
        search.start,
        seconds,
        limit=max(LEAST, search.bench.left / 4),
        context=search.base.start_method,
    )


def _end_alike(old: Setting, new: Setting) -> bool:
    """Do their workers end in the same way? Then what differs is chance."""
    return (old.num_workers, old.persistent_workers) == (
        new.num_workers,
        new.persistent_workers,
    )


def _epoch(search: Search, trial: Trial, *, ends: bool) -> float:
    """Seconds of an epoch, with the end of its workers; or, endless, of a sample."""
    samples = search.base.samples
    steady = (samples or 1) / trial.samples_per_second
    starts = trial.setting.num_workers and not trial.setting.persistent_workers
    if samples is None or not starts:
        return steady
    begins = max(0.0, trial.first_batch_seconds - trial.batch_seconds)
    ending = trial.ending_seconds or 0.0
    return steady + begins + (ending if ends else 0.0)
