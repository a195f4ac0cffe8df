"""Choose among the settings that were measured."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from pipedoctor.facts import Pipeline, Setting, Trial
from pipedoctor.tune.predict import Model, alike
from pipedoctor.tune.promise import UNORDERED
from pipedoctor.tune.search import SAME, WORTH
from pipedoctor.tune.startup import ending, first_batch

Confidence = Literal["certain", "likely", "possible"]
_OFTEN = 2
CLEAR = 0.1
"""A gain that the simulation must see before a disturbed clock is believed."""
AGREED = 0.2
"""How far the clock may be from the processor times, if others had the CPUs."""
_EPOCH_SHARE = 0.02
"""Share of an epoch from which on starting workers anew is worth avoiding."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A setting, what it gave, and how sure that is."""

    setting: Setting
    trial: Trial | None
    start: Trial | None
    confidence: Confidence
    refused: str = ""
    """Why nothing can be said; then the setting is the one that the user has."""

    @property
    def gain(self) -> float | None:
        """How many times as fast as the start setting, as measured."""
        if self.trial is None or self.start is None:
            return None
        return self.trial.samples_per_second / self.start.samples_per_second


def decide(seen: Pipeline, tries: dict[str, int]) -> Choice:
    """The cheapest of the fastest settings, if it is measured better than the start."""
    start = next((t for t in seen.trials if alike(t.setting, seen.start)), None)
    best = cheapest(seen.trials)
    if start is None or best is None:
        return Choice(
            setting=seen.start,
            trial=start,
            start=start,
            confidence="possible",
            refused="the start setting could not be measured",
        )
    gain = best.samples_per_second / start.samples_per_second - 1
    doubt = 0.0 if _confirmed(seen, best, start) else _doubt(best, start)
    if alike(best.setting, start.setting) or gain < max(WORTH, doubt):
        return _kept(seen, start, best, doubt)
    often = min(tries.get(str(t.setting), 1) for t in (best, start))
    noise = _noise(best, start)
    sure = often >= _OFTEN and gain > noise and not (best.disturbed or start.disturbed)
    return Choice(
        setting=finished(seen, best),
        trial=best,
        start=start,
        confidence="certain" if sure else _likely(best, start),
    )


def overruled(seen: Pipeline) -> str:
    """
    Why nothing follows from these trials; empty: something does.

    Others had the CPUs while the current setting was measured, and it was not as fast
    as its processor times say.
    """
    now = next((t for t in seen.trials if alike(t.setting, seen.start)), None)
    if now is None:
        return "the start setting could not be measured"
    if not now.window.refused or not any(trial.costs for trial in seen.trials):
        return now.window.refused
    alone = Model(seen=seen, corrected=False).predict(seen.start)
    apart = math.log(alone.samples_per_second / now.samples_per_second)
    return now.window.refused if abs(apart) > AGREED else ""


def _likely(best: Trial, start: Trial) -> Confidence:
    return "possible" if best.disturbed or start.disturbed else "likely"


def _kept(seen: Pipeline, start: Trial, best: Trial, doubt: float) -> Choice:
    """The start setting; refused where others may have hidden a gain, or feigned it."""
    disturbed = start.disturbed or best.disturbed
    hopeless = start.window.refused or best.window.refused
    refused = ""
    if doubt and (hopeless or _promised(seen, start) > CLEAR):
        refused = hopeless or f"{disturbed}: cannot say"
    return Choice(
        setting=finished(seen, start),
        trial=start,
        start=start,
        confidence="possible" if disturbed else _sure(seen, start),
        refused=refused,
    )


def _promised(seen: Pipeline, start: Trial) -> float:
    """The gain that processor times alone expect of a setting that was measured."""
    if not any(t.costs for t in seen.trials):
        return 0.0
    model = Model(seen=seen, corrected=False)
    rates = [model.predict(t.setting).samples_per_second for t in seen.trials]
    return max(rates) / model.predict(start.setting).samples_per_second - 1


def _sure(seen: Pipeline, start: Trial) -> Confidence:
    """Certain where every other setting is slower by more than the noise."""
    others = [t for t in seen.trials if not alike(t.setting, start.setting)]
    slower = all(
        t.samples_per_second * (1 + 2 * (t.spread or 0.0) + WORTH)
        < start.samples_per_second
        for t in others
    )
    return "certain" if slower and others else "likely"


def _confirmed(seen: Pipeline, best: Trial, start: Trial) -> bool:
    """
    Do the processor times alone say the same as the clock?

    They hardly change when others disturb, so the simulation that knows nothing of
    measured rates is a witness of its own.
    """
    if alike(best.setting, start.setting):
        return len(seen.trials) > 1 and _promised(seen, start) <= CLEAR
    if best.costs is None and start.costs is None:
        return False
    model = Model(seen=seen, corrected=False)
    rates = [model.predict(t.setting).samples_per_second for t in (best, start)]
    found = best.samples_per_second / start.samples_per_second - 1
    return rates[0] / rates[1] - 1 > CLEAR and found > max(WORTH, _noise(best, start))


def _noise(best: Trial, start: Trial) -> float:
    """Twice the relative error of their ratio."""
    return 2 * float(((best.spread or 0.0) ** 2 + (start.spread or 0.0) ** 2) ** 0.5)


def _doubt(best: Trial, start: Trial) -> float:
    """The gain that a disturbance may have feigned."""
    lost = max(best.window.lost_cores, start.window.lost_cores)
    if not (best.disturbed or start.disturbed):
        return 0.0
    return lost / max(best.window.cpus - lost, 0.25 * best.window.cpus)


def cheapest(trials: Sequence[Trial]) -> Trial | None:
    """Of those that are as fast as the fastest, the one with the fewest workers."""
    ordered = [t for t in trials if t.setting.in_order]
    fast = max(ordered, key=_rate, default=None)
    unordered = [t for t in trials if not t.setting.in_order]
    loose = max(unordered, key=_rate, default=None)
    if loose is not None and (
        fast is None or _rate(loose) > _rate(fast) * (1 + UNORDERED)
    ):
        fast, ordered = loose, unordered
    if fast is None:
        return None
    near = [t for t in ordered if _rate(t) >= _rate(fast) * (1 - SAME)]
    return min(near, key=lambda t: (t.setting.num_workers, t.setting.queued))


def _rate(trial: Trial) -> float:
    """
    What it gives, less its error.

    The fastest of many windows is the luckiest of them; one that was measured often
    has less to lose.
    """
    return trial.samples_per_second * (1 - min(0.5, trial.spread or 0.0))


def finished(seen: Pipeline, trial: Trial) -> Setting:
    """The setting with what does not change its steady rate."""
    workers = trial.setting.num_workers
    if not workers:
        return replace(trial.setting, prefetch_factor=None, persistent_workers=False)
    if seen.start.persistent_workers or seen.samples is None:
        return replace(trial.setting, persistent_workers=seen.start.persistent_workers)
    epoch = seen.samples / trial.samples_per_second
    start = first_batch(seen, workers) + ending(seen, workers)
    return replace(trial.setting, persistent_workers=start > _EPOCH_SHARE * epoch)
