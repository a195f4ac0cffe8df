"""Find the best setting: probe, predict all, measure the best few, and again."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from dataclasses import replace as replace_

from msgspec.structs import replace

from pipedoctor.bottleneck.contention import compute_tail_share
from pipedoctor.facts import Pipeline, Setting, Trial
from pipedoctor.tune.model.first_predictions import FirstPredictions
from pipedoctor.tune.model.predict import Prediction, ThroughputModel, is_same_load
from pipedoctor.tune.search import expected_gain
from pipedoctor.tune.search.ledger import TrialLedger
from pipedoctor.tune.search.limits import ResourceLimits
from pipedoctor.tune.search.probe import TrialFailedError, TrialRunner

NEGLIGIBLE_GAIN = 0.008
"""A difference that nobody would pay more workers for."""
MIN_GAIN = 0.015
"""The least gain for which a setting is changed."""
_MAX_WINDOWS, _MAX_DISTURBED_WINDOWS = 5, 6
"""Windows of one setting at most, and where others disturbed them."""
_MAX_WORKER_NUMBERS = 7
"""Numbers of workers; more are hardly worth their time."""
_WORKER_GRID = (*range(9), 10, 12, 14, 16, 20, 24, 32, 40, 48, 64, 96, 128)
_PREFETCH_GRID = (2, 4, 8)
_HEAVY_TAIL = 0.15
_WINDOW_SECONDS, _EXTRA_SECONDS = 1.0, 1.0
"""Seconds of a window, and by how much it is longer where its rate varies."""


@dataclass
class SettingSearch:
    """One search; what is known so far may be asked at any time."""

    runner: TrialRunner
    limits: ResourceLimits
    start: Setting
    base_pipeline: Pipeline
    in_order_known: bool = True
    ledger: TrialLedger = field(default_factory=TrialLedger)
    first_predictions: FirstPredictions = field(default_factory=FirstPredictions)
    failures: dict[str, str] = field(default_factory=dict[str, str])
    excluding_limits: dict[str, str] = field(default_factory=dict[str, str])
    """Limits that keep settings out, by their names; not all of them bind."""
    notes: dict[str, str] = field(default_factory=dict[str, str])
    """What else is to be said of all settings."""
    startup_trials: dict[str, Trial] = field(default_factory=dict[str, Trial])
    """By the method that started their workers."""

    def run(self, *, reserve: Callable[[Pipeline], float] = lambda _: 0.0) -> None:
        """
        Measure until it is settled or the time is up.

        `kept` says, of what was probed, how many seconds are needed for something else.
        """
        self.probe()
        self.runner.deadline -= reserve(self.build_pipeline())
        self.runner.extra_seconds = _EXTRA_SECONDS
        while self.runner.seconds_left > self.estimate_trial_seconds():
            setting = self.choose_next()
            if setting is None:
                return
            self.measure(setting, self.choose_window())

    def probe(self) -> None:
        """The few trials from which everything else is predicted."""
        share = self.runner.seconds_left / 26
        alone = self.make_setting(0)
        only = not self.limits.max_workers
        self.measure(alone, 1.0 * share, items=only, trace=0.5 * share)
        if not is_same_load(self.start, alone):
            self.measure(self.start, 1.0 * share)
        self.probe_startup(share)
        for workers in self.list_anchors():
            if self.runner.seconds_left < self.estimate_trial_seconds():
                return
            self.measure(self.make_setting(workers), 1.2 * share, items=workers == 1)

    def probe_startup(self, share: float) -> None:
        """How long workers take to start where they are not forked, if they do."""
        method = self.base_pipeline.start_method
        if method == "fork" or not self.limits.max_workers:
            return
        try:
            trial = self.measure_startup(method, share)
        except TrialFailedError as reason:
            if self.start.num_workers:
                raise
            bound = f"workers do not start ({method}): {reason}"
            self.limits = replace_(self.limits, max_workers=0, workers_bound=bound)
            return
        self.base_pipeline = replace(
            self.base_pipeline,
            startup_seconds=trial.first_batch_seconds,
            ending_seconds=trial.ending_seconds,
            startup_workers=trial.setting.num_workers,
        )

    def measure_startup(self, method: str, share: float) -> Trial:
        """Start workers in this way; raises Failed."""
        few = min(2, self.limits.max_workers)
        setting = self.start if self.start.num_workers else self.make_setting(few)
        self.startup_trials[method] = self.runner.measure(
            setting, 0.3 * share, limit=max(4.0, 4 * share), context=method
        )
        return self.startup_trials[method]

    def list_anchors(self) -> list[int]:
        """One worker and as many as CPUs: these first where the start setting has workers."""
        most = self.count_max_workers()
        cores = min(most, max(2, math.floor(self.limits.cpus)))
        return sorted({min(1, most), cores} - {0}, reverse=self.start.num_workers > 0)

    def make_setting(self, workers: int, prefetch: int = 2, in_order: bool = True) -> Setting:
        """The start setting with other workers."""
        return replace(
            self.start,
            num_workers=workers,
            prefetch_factor=prefetch if workers else None,
            in_order=in_order if workers else True,
            persistent_workers=bool(workers and self.start.persistent_workers),
        )

    def measure(
        self,
        setting: Setting,
        seconds: float,
        *,
        items: bool = False,
        trace: float = 0.0,
    ) -> None:
        """Measure one setting; one that fails is left out from now on."""
        self.first_predictions.record(self.build_pipeline(), setting)
        limit = max(3.0 * seconds, min(4.0, self.runner.seconds_left / 5))
        try:
            trial = self.runner.measure(setting, seconds, limit=limit, items=items, trace=trace)
        except TrialFailedError as reason:
            if self.ledger.find_trials(setting):
                return  # it works: the time was too short
            self.failures[str(setting)] = reasons = str(reason)
            first = setting.num_workers == 1 and not self.start.num_workers
            if is_same_load(setting, self.start) or first:
                if reason.is_timeout:  # what came before may have taken the time
                    reasons = "; ".join([*self.failures.values(), *self.runner.suggest_budget()])
                raise reason.to_final_error(self.base_pipeline.target, reasons) from None
            return
        self.ledger.add(trial, undivided=self.runner.has_copies)

    def build_pipeline(self) -> Pipeline:
        """All that is known now."""
        bench = self.runner
        contents = bench.contents or self.base_pipeline.contents
        return replace(
            self.base_pipeline,
            contents=contents,
            items=bench.items,
            wall=bench.wall_shares,
            cpu=bench.cpu_shares,
            fault_seconds=bench.fault_seconds,
            cpus=self.limits.cpus,
            cpus_bound=self.limits.cpus_bound,
            trials=self.ledger.merge_all(),
            undivided=bench.has_copies,
        )

    def build_model(self) -> ThroughputModel:
        """A model of all that is known now."""
        return ThroughputModel(pipeline=self.build_pipeline())

    def predict_candidates(self, model: ThroughputModel) -> list[Prediction]:
        """Predictions for every setting that no limit forbids."""
        predictions: list[Prediction] = []
        for setting in self.list_settings():
            guess = model.predict(setting)
            broken = self.limits.explain_rejection(guess, model.pipeline.contents)
            if broken:
                self.excluding_limits.setdefault(broken.partition(":")[0], broken)
            elif str(setting) not in self.failures:
                predictions.append(guess)
        return predictions

    def list_settings(self) -> Iterable[Setting]:
        """Every setting that might be the best one."""
        loose = self.in_order_known and compute_tail_share(self.runner.items) > _HEAVY_TAIL
        orders = (True, False) if loose else (True,)
        yield self.make_setting(0)
        for workers in _WORKER_GRID[1:]:
            if workers > self.count_max_workers():
                break
            for prefetch in _PREFETCH_GRID:
                for in_order in orders:
                    yield self.make_setting(workers, prefetch, in_order)
        yield self.start

    def count_max_workers(self) -> int:
        """Workers that may be tried: no more than an epoch has batches."""
        samples, size = self.base_pipeline.samples, self.start.batch_size
        batches = -(-samples // size) if samples and size else self.limits.max_workers
        return min(self.limits.max_workers, batches)

    def choose_next(self) -> Setting | None:
        """What to measure next; None = nothing that is left is worth its time."""
        best = self.find_fastest()
        if best is None:
            return None
        model = self.build_model()
        gains = {
            guess: expected_gain.estimate_gain(model, guess, best)
            for guess in self.predict_candidates(model)
            if not self.ledger.find_trials(guess.setting)
        }
        candidate = self._choose_faster(model, gains, best) or self._choose_repeat(best, 2)
        candidate = candidate or self._choose_untried(gains) or self._choose_repeat(best)
        return candidate or self._choose_deeper(gains, best)

    def _choose_faster(
        self, model: ThroughputModel, gains: dict[Prediction, float], best: Trial
    ) -> Setting | None:
        """The cheapest of those that are expected to be faster."""
        least = best.samples_per_second * (1 + NEGLIGIBLE_GAIN)
        rates = {
            guess: min(
                expected_gain.discount_rate(guess),
                expected_gain.estimate_max_rate(model, guess.setting),
            )
            for guess in gains
        }
        faster = {guess: rate for guess, rate in rates.items() if rate > least}
        if not faster:
            return None
        near = (1 - NEGLIGIBLE_GAIN) * max(faster.values())
        cheap = [guess for guess, rate in faster.items() if rate > near]
        return min(cheap, key=lambda g: (g.setting.queued_batches, -faster[g])).setting

    def _choose_untried(self, gains: dict[Prediction, float]) -> Setting | None:
        """A number of workers that nobody has tried, and that may yet be faster."""
        tried = {setting.num_workers for setting in self.ledger.list_settings()}
        open_ = {
            guess: gain
            for guess, gain in gains.items()
            if gain > expected_gain.MIN_EXPECTED_GAIN
            and guess.setting.num_workers not in tried
            and guess.setting.in_order
        }
        if len(tried) >= _MAX_WORKER_NUMBERS or not open_:
            return None
        return max(open_, key=lambda g: (open_[g], -g.setting.queued_batches)).setting

    def _choose_repeat(
        self, best: Trial, max_windows: int = _MAX_DISTURBED_WINDOWS
    ) -> Setting | None:
        """The best, the start or a rival: which was measured least, if it counts."""
        others = [t for t in self.ledger.merge_all() if not is_same_load(t.setting, best.setting)]
        rivals = [
            t
            for t in others
            if expected_gain.estimate_loss(best, t) > expected_gain.MIN_EXPECTED_GAIN / 2
        ]
        starts = [t for t in others if is_same_load(t.setting, self.start)]
        often = [(best, _MAX_WINDOWS if rivals else 2), *((t, 2) for t in starts)]
        often += [(t, _MAX_WINDOWS) for t in rivals]
        open_ = [
            trial
            for trial, enough in often
            if self.ledger.count_tries(trial)
            < min(max_windows, max_windows if trial.disturbance else enough)
        ]
        return min(open_, key=self.ledger.count_tries).setting if open_ else None

    def _choose_deeper(self, gains: dict[Prediction, float], best: Trial) -> Setting | None:
        """The leader with longer queues, where there is time left for it."""
        longer = 2 * (best.setting.prefetch_factor or 0)
        deeper = replace(best.setting, prefetch_factor=longer)
        trial = (
            guess.setting
            for guess, gain in gains.items()
            if guess.setting == deeper and gain > expected_gain.MIN_EXPECTED_GAIN
        )
        return next(trial, None)

    def find_fastest(self) -> Trial | None:
        """The fastest of all that were measured."""
        trials = self.ledger.merge_all()
        return max(trials, key=lambda t: t.samples_per_second, default=None)

    def choose_window(self) -> float:
        """How long the next window shall be."""
        return min(_WINDOW_SECONDS, max(0.4, self.runner.seconds_left / 9))

    def estimate_trial_seconds(self) -> float:
        """Seconds that the next trial will take, by those so far."""
        recent = self.runner.trial_seconds[-3:]
        usual = sum(recent) / len(recent) if recent else 2.0
        return min(usual, self.choose_window() * 2 + 1) + 0.5
