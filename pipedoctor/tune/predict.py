"""Predict any setting from a probe: simulate it, and correct by what was measured."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from pipedoctor.facts import Pipeline, Setting, Trial
from pipedoctor.tune.holding import (
    Interval,
    descriptors,
    descriptors_between,
    grown,
    memory,
    memory_between,
    shared_between,
)
from pipedoctor.tune.scene import Course, Whole
from pipedoctor.tune.simulate import simulate
from pipedoctor.tune.simulate import whole as epoch
from pipedoctor.tune.smooth import Seen, smoothed
from pipedoctor.tune.staging import Stage, World
from pipedoctor.tune.startup import first_batches

_STEADY = 0.02
"""Relative error that even a measured setting has."""
_MODEL = 0.05
"""Relative error of the model next to a measured setting."""


@dataclass(frozen=True, kw_only=True)
class Prediction:
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
    between: dict[str, Interval] = field(compare=False)
    """Between what sizes and the first batch are to be expected, by their names."""

    @property
    def lasting_bytes(self) -> int:
        """Memory of the workers at the end of an epoch, as far as it is known."""
        return self.memory_epoch_bytes or self.memory_bytes

    @property
    def wait_between(self) -> Interval:
        """Seconds that the consumer waits for a batch, at the best and worst rate."""
        step = self.batch_seconds - self.wait_seconds
        batch = self.batch_seconds * self.samples_per_second
        return max(0.0, batch / self.high - step), max(0.0, batch / self.low - step)


@dataclass(frozen=True, kw_only=True)
class Model:
    """The probed pipeline in another world, or in this one."""

    seen: Pipeline
    world: World = field(default_factory=World)
    corrected: bool = True
    """By what was measured; else the simulation alone."""
    _cache: dict[Setting, Course] = field(default_factory=dict[Setting, Course])

    def predict(self, setting: Setting) -> Prediction:
        """What this setting would give, with an interval that should hold 9 of 10."""
        course = self.course(setting)
        factor, error = self._correction(setting) if self.corrected else (1.0, 0.0)
        seconds = course.batch_seconds * factor
        batch = setting.batch_size or 1
        rate = batch / seconds / self.seen.copies(setting)
        step = self.step_seconds
        objects = self.seen.contents.objects
        firsts = first_batches(self.seen, setting.num_workers)
        most = setting.most_descriptors(objects, course.most_early)
        low, first, high = (self._made(setting, seconds) for seconds in firsts)
        return Prediction(
            setting=setting,
            samples_per_second=rate,
            low=rate * math.exp(-1.65 * error),
            high=rate * math.exp(1.65 * error),
            batch_seconds=seconds,
            wait_seconds=max(0.0, seconds - step),
            first_batch_seconds=first,
            shm_bytes=setting.shm_bytes(self._stage.shared(setting)),
            memory_bytes=memory(self.seen, setting),
            memory_epoch_bytes=grown(self.seen, setting),
            descriptors=descriptors(setting, objects, course.early),
            most_descriptors=most,
            measured=self.world == World() and self._exact(setting) is not None,
            between={
                "first_batch_seconds": (low, high),
                "shm_bytes": shared_between(setting, self._stage.shared(setting)),
                "memory_bytes": memory_between(self.seen, setting),
                "descriptors": descriptors_between(setting, most),
            },
        )

    def _made(self, setting: Setting, first: float) -> float:
        """When the first batch comes, if it takes longer to be made, or less long."""
        usual = replace(setting, batch_size=self.seen.start.batch_size)
        if self.world == World() and setting.batch_size == usual.batch_size:
            return first
        there, here = self._stage, Stage(self.seen, World())
        return max(0.0, first + there.alone(setting) - here.alone(usual))

    @property
    def step_seconds(self) -> float:
        """What the consumer takes for a batch."""
        return self._stage.step_seconds

    @property
    def _stage(self) -> Stage:
        return Stage(self.seen, self.world)

    def _exact(self, setting: Setting) -> Trial | None:
        """The trials of this very setting, as one."""
        return next((t for t in self.seen.trials if alike(t.setting, setting)), None)

    def whole(
        self, setting: Setting, batches: int, late: Sequence[float] = ()
    ) -> Whole:
        """An epoch of few batches: its queues fill and run empty; uncorrected."""
        return epoch(self._stage.scene(setting), batches, late)

    def course(self, setting: Setting) -> Course:
        """The simulation of a steady state; uncorrected."""
        pinned = self._stage.pinned(setting)
        plain = replace(setting, pin_memory=pinned, persistent_workers=False)
        if plain not in self._cache:
            self._cache[plain] = simulate(self._stage.scene(plain))
        return self._cache[plain]

    def _correction(self, setting: Setting) -> tuple[float, float]:
        """What the simulation must be multiplied with, and the error that is left."""
        exact = self._exact(setting)
        here = self.world == World()
        if exact is not None and here:
            error = max(_STEADY, exact.spread or 0.0)
            there = self.course(exact.setting).batch_seconds
            return exact.batch_seconds / there, error
        model = Model(seen=self.seen, _cache=self._cache if here else {})
        known = [
            Seen(
                setting=trial.setting,
                ratio=math.log(
                    trial.batch_seconds / model.course(trial.setting).batch_seconds
                ),
                error=trial.spread or 0.0,
            )
            for trial in self.seen.trials
            if bool(trial.setting.num_workers) == bool(setting.num_workers)
        ]
        middle, error = smoothed(known, setting)
        return math.exp(middle), math.hypot(_MODEL, error)


def alike(one: Setting, other: Setting) -> bool:
    """Do they run the same in steady state?"""
    return (
        one.num_workers == other.num_workers
        and one.batch_size == other.batch_size
        and (
            not one.num_workers
            or (
                one.prefetch_factor == other.prefetch_factor
                and one.in_order == other.in_order
            )
        )
    )


__all__ = ["Model", "Prediction", "World", "alike"]
