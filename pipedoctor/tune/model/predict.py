"""Predict any setting from a probe: simulate it, and correct by what was measured."""

import math
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from pipedoctor.facts import Pipeline, Setting, Trial
from pipedoctor.tune.model.build import Scenario, SimulationBuilder
from pipedoctor.tune.model.memory import (
    Interval,
    bound_descriptors,
    bound_memory,
    bound_shm,
    estimate_epoch_memory,
    estimate_memory,
    predict_descriptors,
)
from pipedoctor.tune.model.simulate import simulate
from pipedoctor.tune.model.simulate import simulate_epoch as epoch
from pipedoctor.tune.model.smooth import MeasuredRatio, smooth_ratio
from pipedoctor.tune.model.startup import bound_first_batch
from pipedoctor.tune.model.types import EpochRun, SteadyState

_MEASURED_ERROR = 0.02
"""Relative error that even a measured setting has."""
_MODEL_ERROR = 0.05
"""Relative error of the model next to a measured setting."""


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """What a setting gives: rates per second, sizes in bytes, times in seconds."""

    setting: Setting
    samples_per_second: float
    low: float
    high: float
    batch_seconds: float
    wait_seconds: float
    first_batch_seconds: float
    shm_bytes: int
    memory_bytes: int
    memory_epoch_bytes: int | None
    """At the end of an epoch; None: nobody knows."""
    descriptors: int
    most_descriptors: int
    """At the worst moment."""
    measured: bool
    intervals: dict[str, Interval]
    """Between what sizes and the first batch are to be expected, by their names."""

    def __hash__(self) -> int:
        return hash((self.setting, self.samples_per_second))

    @property
    def final_memory_bytes(self) -> int:
        """Memory of the workers at the end of an epoch, as far as it is known."""
        return self.memory_epoch_bytes or self.memory_bytes

    @property
    def wait_interval(self) -> Interval:
        """Seconds that the consumer waits for a batch, at the best and worst rate."""
        step = self.batch_seconds - self.wait_seconds
        batch = self.batch_seconds * self.samples_per_second
        return max(0.0, batch / self.high - step), max(0.0, batch / self.low - step)


class ThroughputModel(msgspec.Struct, frozen=True, kw_only=True):
    """Predicts settings of a probed pipeline, on this machine or in a scenario."""

    pipeline: Pipeline
    scenario: Scenario = msgspec.field(default_factory=Scenario)
    is_corrected: bool = True
    """By what was measured; else the simulation alone."""
    is_coarse: bool = False
    """Costs are only known roughly: fewer batches are simulated."""
    _cache: dict[Setting, SteadyState] = msgspec.field(default_factory=dict[Setting, SteadyState])

    def predict(self, setting: Setting) -> Prediction:
        """What this setting would give, with an interval that should hold 9 of 10."""
        course = self.simulate_steady_state(setting)
        factor, error = self._compute_correction(setting) if self.is_corrected else (1.0, 0.0)
        seconds = course.batch_seconds * factor
        batch = setting.batch_size or 1
        rate = batch / seconds / self.pipeline.count_copies(setting)
        step = self.step_seconds
        objects = self.pipeline.contents.objects
        firsts = bound_first_batch(self.pipeline, setting.num_workers)
        most = setting.count_peak_descriptors(objects, course.max_early_batches)
        low, first, high = (self._adjust_first_batch(setting, seconds) for seconds in firsts)
        return Prediction(
            setting=setting,
            samples_per_second=rate,
            low=rate * math.exp(-1.65 * error),
            high=rate * math.exp(1.65 * error),
            batch_seconds=seconds,
            wait_seconds=max(0.0, seconds - step),
            first_batch_seconds=first,
            shm_bytes=setting.compute_shm_bytes(self._builder.count_shared_bytes(setting)),
            memory_bytes=estimate_memory(self.pipeline, setting),
            memory_epoch_bytes=estimate_epoch_memory(self.pipeline, setting),
            descriptors=predict_descriptors(setting, objects, course.early_batches),
            most_descriptors=most,
            measured=self.scenario == Scenario() and self._find_trial(setting) is not None,
            intervals={
                "first_batch_seconds": (low, high),
                "shm_bytes": bound_shm(setting, self._builder.count_shared_bytes(setting)),
                "memory_bytes": bound_memory(self.pipeline, setting),
                "descriptors": bound_descriptors(setting, most),
            },
        )

    def _adjust_first_batch(self, setting: Setting, first_seconds: float) -> float:
        """When the first batch comes, if it takes longer to be made, or less long."""
        usual = replace(setting, batch_size=self.pipeline.start.batch_size)
        if self.scenario == Scenario() and setting.batch_size == usual.batch_size:
            return first_seconds
        there, here = self._builder, SimulationBuilder(self.pipeline, Scenario())
        return max(
            0.0,
            first_seconds
            + there.estimate_batch_seconds(setting)
            - here.estimate_batch_seconds(usual),
        )

    @property
    def step_seconds(self) -> float:
        """What the consumer takes for a batch."""
        return self._builder.step_seconds

    @property
    def _builder(self) -> SimulationBuilder:
        return SimulationBuilder(self.pipeline, self.scenario)

    def _find_trial(self, setting: Setting) -> Trial | None:
        """The trials of this very setting, as one."""
        return next((t for t in self.pipeline.trials if is_same_load(t.setting, setting)), None)

    def simulate_epoch(
        self, setting: Setting, batches: int, start_delays: Sequence[float] = ()
    ) -> EpochRun:
        """An epoch of few batches: its queues fill and run empty; uncorrected."""
        return epoch(self._builder.build_input(setting), batches, start_delays)

    def simulate_steady_state(self, setting: Setting) -> SteadyState:
        """The simulation of a steady state; uncorrected."""
        pinned = self._builder.is_pinning(setting)
        plain = replace(setting, pin_memory=pinned, persistent_workers=False)
        if plain not in self._cache:
            self._cache[plain] = simulate(self._builder.build_input(plain), coarse=self.is_coarse)
        return self._cache[plain]

    def _compute_correction(self, setting: Setting) -> tuple[float, float]:
        """What the simulation must be multiplied with, and the error that is left."""
        exact = self._find_trial(setting)
        is_this_machine = self.scenario == Scenario()
        if exact is not None and is_this_machine:
            error = max(_MEASURED_ERROR, exact.spread or 0.0)
            there = self.simulate_steady_state(exact.setting).batch_seconds
            return exact.batch_seconds / there, error
        model = ThroughputModel(
            pipeline=self.pipeline,
            is_coarse=self.is_coarse,
            _cache=self._cache if is_this_machine else {},
        )
        ratios = [
            MeasuredRatio(
                setting=trial.setting,
                ratio=math.log(
                    trial.batch_seconds / model.simulate_steady_state(trial.setting).batch_seconds
                ),
                error=trial.spread or 0.0,
            )
            for trial in self.pipeline.trials
            if bool(trial.setting.num_workers) == bool(setting.num_workers)
        ]
        middle, error = smooth_ratio(ratios, setting)
        return math.exp(middle), math.hypot(_MODEL_ERROR, error)


def is_same_load(one: Setting, other: Setting) -> bool:
    """Do both settings run the same in steady state?"""
    return (
        one.num_workers == other.num_workers
        and one.batch_size == other.batch_size
        and (
            not one.num_workers
            or (one.prefetch_factor == other.prefetch_factor and one.in_order == other.in_order)
        )
    )


__all__ = ["Prediction", "Scenario", "ThroughputModel", "is_same_load"]
