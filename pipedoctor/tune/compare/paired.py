"""Measure a loader before and after an edit, in turn: does the remedy help?"""

import contextlib
import time
from collections.abc import Generator
from dataclasses import dataclass, replace

from pipedoctor.bench.interval import compute_spread
from pipedoctor.check import EPOCH, Counterfactual, Gain
from pipedoctor.facts import Setting, Trial
from pipedoctor.facts.bench import MIN_WINDOWS
from pipedoctor.tune.compare.remedy_gain import predict_gain
from pipedoctor.tune.search.probe import TrialFailedError
from pipedoctor.tune.search.search import SettingSearch
from pipedoctor.tune.search.session import TargetLostError, TargetRefusedError
from pipedoctor.tune.search.tuning import (
    Tuning,
    TuningRequest,
    build_tuning,
    open_search,
)

MIN_START_SECONDS = 3.0
"""Seconds that workers may take to start and to deliver."""
BEFORE_SHARE = 0.35
"""Share of the time for the code as it was; a pair of windows takes longer."""
MAX_PAIRS = 7
"""Of windows, before and after, next to each other; more tell little more."""


@dataclass(frozen=True, kw_only=True)
class PairedComparison:
    """What was predicted, and what was measured; `reason` says why nothing was."""

    predicted: Gain | None
    measured: Gain | None
    pairs: int = 0
    reason: str = ""
    is_unusable: bool = False
    """The target cannot be used any more."""

    @property
    def is_improvement(self) -> bool:
        """Is an epoch shorter for certain?"""
        gain = self.measured
        return gain is not None and gain.low > 0


@dataclass(frozen=True, kw_only=True)
class BaselineProbe:
    """The code as it was: it stays loaded, while its file may change."""

    request: TuningRequest
    search: SettingSearch
    tuning: Tuning

    def compare(self, counterfactual: Counterfactual) -> PairedComparison:
        """Load the code as it is now, and measure both in turn."""
        rest = take_budget_share(self.request, 1 - BEFORE_SHARE)
        self.search.runner.deadline = rest.deadline
        try:
            with open_search(rest) as (after, _):
                predicted = predict_gain(self.tuning.pipeline, counterfactual, after.start)
                return measure_pairs(self.search, after, predicted)
        except TargetRefusedError as reason:
            return PairedComparison(
                predicted=None, measured=None, reason=str(reason), is_unusable=True
            )
        except (TrialFailedError, TargetLostError) as reason:
            return PairedComparison(predicted=None, measured=None, reason=str(reason))


@contextlib.contextmanager
def probe_baseline(request: TuningRequest) -> Generator[BaselineProbe, None, None]:
    """Probe the code as it is now; raises Refused, Failed or Lost."""
    first = take_budget_share(request, BEFORE_SHARE)
    with open_search(first) as (search, loaded):
        search.run()
        tuning = replace(build_tuning(first, search), made_at=loaded.made_at)
        yield BaselineProbe(request=request, search=search, tuning=tuning)


def take_budget_share(request: TuningRequest, share: float) -> TuningRequest:
    """The same with this share of the time, from now on."""
    return replace(request, begin_time=time.monotonic(), budget=share * request.budget)


def measure_pairs(
    before: SettingSearch, after: SettingSearch, predicted_gain: Gain | None
) -> PairedComparison:
    """Windows of both next to each other, so that what drifts drifts for both."""
    left: list[float] = []
    saved: list[float] = []
    refused = ""
    window = min(1.0, max(0.2, after.runner.seconds_left / 24))
    took = 0.0
    for _ in range(MAX_PAIRS):
        begin = after.runner.seconds_left
        if begin < max(took, 4 * window):
            break
        old, new = _measure_window(before, window), _measure_window(after, window)
        refused = old.window.rejection_reason or new.window.rejection_reason or refused
        if not (old.window.rejection_reason or new.window.rejection_reason):
            ends = not _has_same_ending(old.setting, new.setting)
            was = _estimate_epoch(before, old, ends=ends)
            now = _estimate_epoch(after, new, ends=ends)
            left.append(now / was)
            saved.append(was - now)
        took = begin - after.runner.seconds_left
    ratio, seconds = compute_spread(left), compute_spread(saved)
    if ratio is None or seconds is None or ratio.windows < MIN_WINDOWS:
        why = refused or f"only {len(left)} pairs of windows fit into the budget"
        return PairedComparison(
            predicted=predicted_gain, measured=None, pairs=len(left), reason=why
        )
    gain = Gain(
        value=1 - ratio.value,
        low=1 - ratio.high,
        high=1 - ratio.low,
        unit=EPOCH,
        basis="measured",
        seconds=None if before.base_pipeline.samples is None else seconds.value,
    )
    return PairedComparison(predicted=predicted_gain, measured=gain, pairs=len(left))


def _measure_window(search: SettingSearch, seconds: float) -> Trial:
    """The loader as it is, with workers that start as the job starts them."""
    return search.runner.measure(
        search.start,
        seconds,
        limit=max(MIN_START_SECONDS, search.runner.seconds_left / 4),
        context=search.base_pipeline.start_method,
    )


def _has_same_ending(old: Setting, new: Setting) -> bool:
    """Do their workers end in the same way? Then what differs is chance."""
    return (old.num_workers, old.persistent_workers) == (
        new.num_workers,
        new.persistent_workers,
    )


def _estimate_epoch(search: SettingSearch, trial: Trial, *, ends: bool) -> float:
    """Seconds of an epoch, with the end of its workers; or, endless, of a sample."""
    samples = search.base_pipeline.samples
    steady = (samples or 1) / trial.samples_per_second
    starts = trial.setting.num_workers and not trial.setting.persistent_workers
    if samples is None or not starts:
        return steady
    begins = max(0.0, trial.first_batch_seconds - trial.batch_seconds)
    ending = trial.ending_seconds or 0.0
    return steady + begins + (ending if ends else 0.0)
