"""Predict any setting from a probe: simulate it, and correct by what was measured."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from msgspec.structs import replace

from pipedoctor.facts import Costs, Pipeline, Setting, Trial
from pipedoctor.tune.scene import CPU, TIME, Course, Phase, Scene, Whole
from pipedoctor.tune.sharing import crowding, storage, waiting_of
from pipedoctor.tune.simulate import simulate
from pipedoctor.tune.simulate import whole as epoch
from pipedoctor.tune.smooth import Seen, smoothed
from pipedoctor.tune.startup import first_batch

_TASKS = 192
_LEAST = 1e-6
_SHAKE = 2e-4
"""Seconds in which an idle worker hands one descriptor over."""
_STEADY = 0.02
"""Relative error that even a measured setting has."""
_MODEL = 0.05
"""Relative error of the model next to a measured setting."""


@dataclass(frozen=True, kw_only=True)
class World:
    """What shall be imagined different from this machine; None = as it is."""

    cores: float | None = None
    storage: float = 1.0
    """How many times as fast."""
    uint8: bool = False
    """Batches of bytes instead of floats."""


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
    descriptors: int
    measured: bool


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
        return Prediction(
            setting=setting,
            samples_per_second=rate,
            low=rate * math.exp(-1.65 * error),
            high=rate * math.exp(1.65 * error),
            batch_seconds=seconds,
            wait_seconds=max(0.0, seconds - step),
            first_batch_seconds=first_batch(self.seen, setting.num_workers),
            shm_bytes=setting.shm_bytes(self._shared(setting)),
            memory_bytes=self._memory(setting),
            descriptors=setting.descriptors(self.seen.contents.objects),
            measured=self.world == World() and self._exact(setting) is not None,
        )

    @property
    def step_seconds(self) -> float:
        """What the consumer takes for a batch."""
        steps = [trial.step_seconds for trial in self.seen.trials]
        return min(steps, default=0.0)

    def _exact(self, setting: Setting) -> Trial | None:
        """The trials of this very setting, as one."""
        return next((t for t in self.seen.trials if alike(t.setting, setting)), None)

    def whole(
        self, setting: Setting, batches: int, late: Sequence[float] = ()
    ) -> Whole:
        """An epoch of few batches: its queues fill and run empty; uncorrected."""
        return epoch(self.scene(setting), batches, late)

    def course(self, setting: Setting) -> Course:
        """The simulation of a steady state; uncorrected."""
        plain = replace(setting, pin_memory=False, persistent_workers=False)
        if plain not in self._cache:
            self._cache[plain] = simulate(self.scene(plain))
        return self._cache[plain]

    def scene(self, setting: Setting) -> Scene:
        """The simulation of this setting."""
        costs = self._costs(setting.num_workers)
        scale = (setting.batch_size or 1) / (self.seen.start.batch_size or 1)
        small = self._smaller()
        computing = self._computing(costs, small) * scale
        waiting = waiting_of(costs) * scale / self.world.storage
        receive = (costs.next_cpu or costs.receive_cpu) * scale
        hand = max(0.0, costs.receive_wall - costs.receive_cpu) * scale
        first = self.seen.trials[0]
        step_cpu = min(first.step_cpu, self.step_seconds)
        return Scene(
            tasks=self._tasks(setting, waiting, computing),
            workers=setting.num_workers,
            prefetch=setting.prefetch_factor or 2,
            in_order=setting.in_order,
            receive=max(_LEAST, receive),
            shake=(min(hand, _SHAKE * self.seen.contents.objects * scale), hand),
            consume=_phases(step_cpu, self.step_seconds - step_cpu),
            cores=self.world.cores or self.seen.cpus,
            storage=storage(self.seen) * self.world.storage,
            weight=max(1.0, costs.fetch_process / max(costs.fetch_cpu, _LEAST))
            if costs.fetch_process > 1.2 * costs.fetch_cpu
            else 1.0,
            crowding=crowding(self.seen),
        )

    def _costs(self, workers: int) -> Costs:
        """Costs of the trial with the next number of workers, without disturbance."""
        trials = [
            t for t in self.seen.trials if t.costs and bool(workers) == bool(t.costs_of)
        ]
        if workers:
            trials = [t for t in trials if t.costs_of == 1] or trials
        found = min(trials, key=lambda t: abs(t.costs_of - workers), default=None)
        if found is None:
            found = next(t for t in self.seen.trials if t.costs)
        assert found.costs is not None  # noqa: S101  (filtered above)
        return found.costs

    def _computing(self, costs: Costs, small: float) -> float:
        """CPU seconds of one thread for a batch, until it is sent."""
        rest = max(0.0, costs.process - costs.fetch_process - costs.collate_cpu)
        return costs.fetch_cpu + costs.collate_cpu * small + rest

    def _smaller(self) -> float:
        """Bytes of a batch in the imagined world, as a share of what they are."""
        contents = self.seen.contents
        if not self.world.uint8 or not contents.bytes:
            return 1.0
        return 1 - 0.75 * contents.float_bytes / contents.bytes

    def _shared(self, setting: Setting) -> int:
        scale = (setting.batch_size or 1) / (self.seen.start.batch_size or 1)
        return int(self.seen.contents.shared_bytes * scale * self._smaller())

    def _tasks(
        self, setting: Setting, waiting: float, computing: float
    ) -> Sequence[tuple[float, float]]:
        """
        Batches of the items that were seen, in their order, around the mean costs.

        In their order, since what comes at intervals is no accident: Python's garbage
        collector, the end of a file.
        """
        items = self.seen.items
        if not items or not setting.num_workers:
            return [(waiting, computing)]
        size = setting.batch_size or 1
        number = max(8, min(size, 64))
        rows = [
            [items[(begin + k) % len(items)] for k in range(number)]
            for begin in range(0, _TASKS * number, number)
        ]
        idle = [sum(max(0.0, w - c) for w, c in row) for row in rows]
        busy = [sum(c for _, c in row) for row in rows]
        quiet = (size / number) ** 0.5  # the mean of more items varies less
        return list(
            zip(
                _around(idle, waiting, quiet),
                _around(busy, computing, quiet),
                strict=True,
            )
        )

    def _correction(self, setting: Setting) -> tuple[float, float]:
        """What the simulation must be multiplied with, and the error that is left."""
        exact = self._exact(setting)
        here = self.world == World()
        if exact is not None and here:
            error = max(_STEADY, exact.spread or 0.0)
            return exact.batch_seconds / self.course(setting).batch_seconds, error
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

    def _memory(self, setting: Setting) -> int:
        """
        Private memory of all workers.

        Of one worker it is larger than its share of many: pages that the main
        process has changed since the fork are private to one, shared by several.
        """
        each = {
            trial.setting.num_workers: trial.memory_bytes / trial.setting.num_workers
            for trial in self.seen.trials
            if trial.setting.num_workers and trial.memory_bytes
        }
        if not each or not setting.num_workers:
            return 0
        return int(setting.num_workers * _between(each, setting.num_workers))


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


def _phases(computing: float, waiting: float) -> tuple[Phase, ...]:
    return (CPU, max(_LEAST, computing)), (TIME, max(0.0, waiting))


def _around(values: Sequence[float], mean: float, quiet: float) -> list[float]:
    """The same spread around another mean, and less of it for larger batches."""
    old = sum(values) / len(values)
    if old <= 0:
        return [mean] * len(values)
    return [max(0.0, mean * (1 + (v / old - 1) / quiet)) for v in values]


def _between(known: Mapping[int, float], at: int) -> float:
    """Piecewise linear in the logarithm; constant beyond the ends."""
    points = sorted(known)
    if at <= points[0]:
        return known[points[0]]
    for low, high in pairwise(points):
        if low <= at <= high:
            share = math.log(at / low) / math.log(high / low) if low else 1.0
            return known[low] + share * (known[high] - known[low])
    return known[points[-1]]
