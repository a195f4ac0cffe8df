"""What was measured so far: repeats of one setting count together."""

import math
from dataclasses import dataclass, field
from statistics import fmean, median, stdev

from msgspec.structs import replace

from pipedoctor.facts import Setting, Trial
from pipedoctor.tune.model.predict import is_same_load

_SINGLE_WINDOW_ERROR = 0.03
"""Relative error of one window that says nothing of its own."""
_PRIOR_WINDOWS = 1
"""Windows that the experience with other settings counts for."""


@dataclass
class TrialLedger:
    """All trials in the order in which they were made."""

    trials: list[Trial] = field(default_factory=list[Trial])

    def add(self, trial: Trial, *, undivided: bool = False) -> None:
        """Remember one more; those before may not have known of copies."""
        self.trials.append(trial)
        if undivided:
            self.trials = [_count_samples_once(trial) for trial in self.trials]

    def count_tries(self, trial: Trial) -> int:
        """How often this setting was measured."""
        return len(self.find_trials(trial.setting))

    def find_trials(self, setting: Setting) -> list[Trial]:
        """The trials of one setting."""
        return [t for t in self.trials if is_same_load(t.setting, setting)]

    def list_settings(self) -> list[Setting]:
        """Every setting once, the first one first."""
        settings: list[Setting] = []
        for trial in self.trials:
            if not any(is_same_load(trial.setting, other) for other in settings):
                settings.append(trial.setting)
        return settings

    def merge_all(self) -> tuple[Trial, ...]:
        """One trial for each setting, of all its windows that were not disturbed."""
        return tuple(self._merge(self.find_trials(setting)) for setting in self.list_settings())

    def _merge(self, trials: list[Trial]) -> Trial:
        used = _drop_disturbed(trials)
        first = next((t for t in used if t.costs), used[0])
        each = median(t.batch_seconds for t in used)
        sizes = [t.memory_bytes for t in trials if t.memory_bytes]
        return replace(
            first,
            batch_seconds=each,
            samples_per_second=first.samples_per_second * first.batch_seconds / each,
            spread=_estimate_error(used, self._pool_deviations(bool(first.setting.num_workers))),
            batches=sum(t.batches for t in used),
            wait_seconds=median(t.wait_seconds for t in used),
            memory_bytes=int(fmean(sizes)) if sizes else 0,
            first_batch_seconds=median(t.first_batch_seconds for t in trials),
            ending_seconds=min(
                (t.ending_seconds for t in trials if t.ending_seconds is not None),
                default=None,
            ),
            growth=max(
                (t.growth for t in trials if t.growth),
                key=lambda seen: seen.made,
                default=None,
            ),
            seconds_spent=sum(t.seconds_spent for t in trials),
            window=max((t.window for t in used), key=lambda w: w.seconds),
        )

    def _pool_deviations(self, workers: bool) -> float | None:
        """
        How far windows of one setting differ, with workers or without.

        What is known of it from all settings; None where none was measured again.
        """
        groups = [
            _drop_disturbed(self.find_trials(setting))
            for setting in self.list_settings()
            if bool(setting.num_workers) == workers
        ]
        often = [group for group in groups if len(group) > 1]
        squares = sum((len(group) - 1) * _measure_deviation(group) ** 2 for group in often)
        number = sum(len(group) - 1 for group in often)
        return math.sqrt(squares / number) if number else None


def _drop_disturbed(trials: list[Trial]) -> list[Trial]:
    """Those that were not disturbed, or the one that was least."""
    clean = [t for t in trials if not t.disturbance]
    return clean or [min(trials, key=lambda t: t.window.lost_cores)]


def _measure_deviation(trials: list[Trial]) -> float:
    """Relative standard deviation of windows of one setting."""
    rates = [t.samples_per_second for t in trials]
    return stdev(rates) / fmean(rates)


def _estimate_error(trials: list[Trial], usual: float | None) -> float:
    """
    Relative standard error of their middle: of the windows, and between them.

    Two windows say little of how far a third one may be: `usual` is what other
    settings say of it.
    """
    number = len(trials)
    inner = [_SINGLE_WINDOW_ERROR if t.spread is None else t.spread for t in trials]
    within = math.sqrt(sum(e * e for e in inner)) / number
    if usual is None:
        return max(within, 0.01)
    own = _measure_deviation(trials) if number > 1 else 0.0
    squares = (number - 1) * own**2 + _PRIOR_WINDOWS * usual**2
    between = math.sqrt(squares / (number - 1 + _PRIOR_WINDOWS) / number)
    return max(within, between, 0.004)


def _count_samples_once(trial: Trial) -> Trial:
    """Its rate with each sample counted once, however many workers give it."""
    batch, copies = trial.setting.batch_size or 1, max(1, trial.setting.num_workers)
    rate = batch / trial.batch_seconds / copies
    return replace(trial, samples_per_second=rate)
