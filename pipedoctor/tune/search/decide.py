"""Choose among the settings that were measured."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from pipedoctor.facts import Pipeline, Setting, Trial
from pipedoctor.tune.model.predict import ThroughputModel, is_same_load
from pipedoctor.tune.model.startup import estimate_ending, estimate_first_batch
from pipedoctor.tune.search.expected_gain import UNORDERED_COST
from pipedoctor.tune.search.search import MIN_GAIN, NEGLIGIBLE_GAIN

Confidence = Literal["certain", "likely", "possible"]
_MIN_WINDOWS = 2
CLEAR_GAIN = 0.1
"""A gain that the simulation must see before a disturbed clock is believed."""
MAX_DISAGREEMENT = 0.2
"""How far the clock may be from the processor times, if others had the CPUs."""
_EPOCH_SHARE = 0.02
"""Share of an epoch from which on starting workers again is worth avoiding."""


@dataclass(frozen=True, kw_only=True)
class SettingChoice:
    """A setting, what it gave, and how sure that is."""

    setting: Setting
    trial: Trial | None
    start_trial: Trial | None
    confidence: Confidence
    refusal: str = ""
    """Why nothing can be said; then the setting is the one that the user has."""

    @property
    def gain(self) -> float | None:
        """How many times as fast as the start setting, as measured."""
        if self.trial is None or self.start_trial is None:
            return None
        return self.trial.samples_per_second / self.start_trial.samples_per_second


def choose_setting(pipeline: Pipeline, tries: dict[str, int]) -> SettingChoice:
    """The cheapest of the fastest settings, if it is measured better than the start."""
    start = next((t for t in pipeline.trials if is_same_load(t.setting, pipeline.start)), None)
    best = find_cheapest([t for t in pipeline.trials if _is_credible(pipeline, t)])
    if start is None or best is None:
        return SettingChoice(
            setting=pipeline.start,
            trial=start,
            start_trial=start,
            confidence="possible",
            refusal="the current setting could not be measured",
        )
    gain = best.samples_per_second / start.samples_per_second - 1
    doubt = 0.0 if _is_confirmed(pipeline, best, start) else _estimate_feigned_gain(best, start)
    if is_same_load(best.setting, start.setting) or gain < max(MIN_GAIN, doubt):
        return _keep_start(pipeline, start, best, doubt)
    often = min(tries.get(str(t.setting), 1) for t in (best, start))
    noise = _estimate_noise(best, start)
    sure = often >= _MIN_WINDOWS and gain > noise and not (best.disturbance or start.disturbance)
    return SettingChoice(
        setting=complete_setting(pipeline, best),
        trial=best,
        start_trial=start,
        confidence="certain" if sure else _rate_confidence(best, start),
    )


def _is_credible(pipeline: Pipeline, trial: Trial) -> bool:
    """
    May a trial be recommended: was it clean, or does it ask no more than there is?

    While others have the CPUs, many workers win a larger share of them: that is no gain
    of the loader's, and is lost once the machine is quiet.
    """
    most = max(math.ceil(pipeline.cpus), pipeline.start.num_workers)
    return not trial.disturbance or trial.setting.num_workers <= most


def explain_unusable(pipeline: Pipeline) -> str:
    """
    Why nothing follows from these trials; empty: something does.

    Others had the CPUs while the current setting was measured, and it was not as fast
    as its processor times say.
    """
    now = next((t for t in pipeline.trials if is_same_load(t.setting, pipeline.start)), None)
    if now is None:
        return "the current setting could not be measured"
    if not now.window.rejection_reason or not any(trial.costs for trial in pipeline.trials):
        return now.window.rejection_reason
    alone = ThroughputModel(pipeline=pipeline, is_corrected=False).predict(pipeline.start)
    log_ratio = math.log(alone.samples_per_second / now.samples_per_second)
    return now.window.rejection_reason if abs(log_ratio) > MAX_DISAGREEMENT else ""


def _rate_confidence(best: Trial, start: Trial) -> Confidence:
    return "possible" if best.disturbance or start.disturbance else "likely"


def _keep_start(pipeline: Pipeline, start: Trial, best: Trial, doubt: float) -> SettingChoice:
    """The start setting; refused where others may have hidden a gain, or feigned it."""
    disturbed = start.disturbance or best.disturbance
    hopeless = start.window.rejection_reason or best.window.rejection_reason
    refused = ""
    if doubt and (hopeless or _predict_best_gain(pipeline, start) > CLEAR_GAIN):
        refused = hopeless or f"{disturbed}, too much for a reliable measurement"
    return SettingChoice(
        setting=complete_setting(pipeline, start),
        trial=start,
        start_trial=start,
        confidence="possible" if disturbed else _rate_start_confidence(pipeline, start),
        refusal=refused,
    )


def _predict_best_gain(pipeline: Pipeline, start: Trial) -> float:
    """The largest gain over the start that processor times alone predict."""
    if not any(t.costs for t in pipeline.trials):
        return 0.0
    model = ThroughputModel(pipeline=pipeline, is_corrected=False)
    rates = [model.predict(t.setting).samples_per_second for t in pipeline.trials]
    return max(rates) / model.predict(start.setting).samples_per_second - 1


def _rate_start_confidence(pipeline: Pipeline, start: Trial) -> Confidence:
    """Certain where every other setting is slower by more than the noise."""
    others = [t for t in pipeline.trials if not is_same_load(t.setting, start.setting)]
    slower = all(
        t.samples_per_second * (1 + 2 * (t.spread or 0.0) + MIN_GAIN) < start.samples_per_second
        for t in others
    )
    return "certain" if slower and others else "likely"


def _is_confirmed(pipeline: Pipeline, best: Trial, start: Trial) -> bool:
    """
    Do the processor times alone say the same as the clock?

    They hardly change when others disturb, so the simulation that knows nothing of
    measured rates is a witness of its own.
    """
    if is_same_load(best.setting, start.setting):
        return len(pipeline.trials) > 1 and _predict_best_gain(pipeline, start) <= CLEAR_GAIN
    if best.costs is None and start.costs is None:
        return False
    model = ThroughputModel(pipeline=pipeline, is_corrected=False)
    rates = [model.predict(t.setting).samples_per_second for t in (best, start)]
    gain = best.samples_per_second / start.samples_per_second - 1
    return rates[0] / rates[1] - 1 > CLEAR_GAIN and gain > max(
        MIN_GAIN, _estimate_noise(best, start)
    )


def _estimate_noise(best: Trial, start: Trial) -> float:
    """Twice the relative error of their ratio."""
    return 2 * float(((best.spread or 0.0) ** 2 + (start.spread or 0.0) ** 2) ** 0.5)


def _estimate_feigned_gain(best: Trial, start: Trial) -> float:
    """The gain that a disturbance may have feigned."""
    lost = max(best.window.lost_cores, start.window.lost_cores)
    if not (best.disturbance or start.disturbance):
        return 0.0
    return lost / max(best.window.cpus - lost, 0.25 * best.window.cpus)


def find_cheapest(trials: Sequence[Trial]) -> Trial | None:
    """Of those that are as fast as the fastest, the one with the fewest workers."""
    ordered = [t for t in trials if t.setting.in_order]
    fast = max(ordered, key=_discount_error, default=None)
    unordered = [t for t in trials if not t.setting.in_order]
    loose = max(unordered, key=_discount_error, default=None)
    if loose is not None and (
        fast is None or _discount_error(loose) > _discount_error(fast) * (1 + UNORDERED_COST)
    ):
        fast, ordered = loose, unordered
    if fast is None:
        return None
    near = [
        t for t in ordered if _discount_error(t) >= _discount_error(fast) * (1 - NEGLIGIBLE_GAIN)
    ]
    return min(near, key=lambda t: (t.setting.num_workers, t.setting.queued_batches))


def _discount_error(trial: Trial) -> float:
    """
    What it gives, less its error.

    The fastest of many windows is the luckiest of them; one that was measured often
    has less to lose.
    """
    return trial.samples_per_second * (1 - min(0.5, trial.spread or 0.0))


def complete_setting(pipeline: Pipeline, trial: Trial) -> Setting:
    """The setting with what does not change its steady rate."""
    workers = trial.setting.num_workers
    if not workers:
        return replace(trial.setting, prefetch_factor=None, persistent_workers=False)
    if pipeline.start.persistent_workers or pipeline.samples is None:
        return replace(trial.setting, persistent_workers=pipeline.start.persistent_workers)
    epoch = pipeline.samples / trial.samples_per_second
    start = estimate_first_batch(pipeline, workers) + estimate_ending(pipeline, workers)
    return replace(trial.setting, persistent_workers=start > _EPOCH_SHARE * epoch)
