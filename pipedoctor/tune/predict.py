"""Predict any setting from a probe: simulate it, and correct by what was measured."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from pipedoctor.facts import Costs, Pipeline, Setting, Trial
from pipedoctor.tune.holding import (
    Interval,
    descriptors,
    descriptors_between,
    grown,
    memory,
    memory_between,
    shared_between,
)
from pipedoctor.tune.scene import CPU, TIME, Course, Phase, Scene, Whole
from pipedoctor.tune.sharing import crowding, storage, waiting_of
from pipedoctor.tune.simulate import simulate
from pipedoctor.tune.simulate import whole as epoch
from pipedoctor.tune.smooth import Seen, smoothed
from pipedoctor.tune.startup import first_batches

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
        objects, pinned = self.seen.contents.objects, self._pinned(setting)
        firsts = first_batches(self.seen, setting.num_workers)
        held = Course(batch_seconds=0.0, wait_seconds=0.0) if pinned else course
        most = setting.most_descriptors(objects, held.most_early)
        low, first, high = (self._made(setting, seconds) for seconds in firsts)
        return Prediction(
            setting=setting,
            samples_per_second=rate,
            low=rate * math.exp(-1.65 * error),
            high=rate * math.exp(1.65 * error),
            batch_seconds=seconds,
            wait_seconds=max(0.0, seconds - step),
            first_batch_seconds=first,
            shm_bytes=setting.shm_bytes(self._shared(setting)),
            memory_bytes=memory(self.seen, setting),
            memory_epoch_bytes=grown(self.seen, setting),
            descriptors=descriptors(setting, objects, held.early),
            most_descriptors=most,
            measured=self.world == World() and self._exact(setting) is not None,
            between={
                "first_batch_seconds": (low, high),
                "shm_bytes": shared_between(setting, self._shared(setting)),
                "memory_bytes": memory_between(self.seen, setting),
                "descriptors": descriptors_between(setting, objects, most),
            },
        )

    def _made(self, setting: Setting, first: float) -> float:
        """When the first batch comes, if it takes longer to be made, or less long."""
        usual = replace(setting, batch_size=self.seen.start.batch_size)
        if self.world == World() and setting.batch_size == usual.batch_size:
            return first
        there, here = self.scene(setting), Model(seen=self.seen).scene(usual)
        return max(0.0, first + _mean(there.tasks) - _mean(here.tasks))

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
        pinned = self._pinned(setting)
        plain = replace(setting, pin_memory=pinned, persistent_workers=False)
        if plain not in self._cache:
            self._cache[plain] = simulate(self.scene(plain))
        return self._cache[plain]

    def _pinned(self, setting: Setting) -> bool:
        """Does pin_memory do something?"""
        return setting.pin_memory and self.seen.pins

    def scene(self, setting: Setting) -> Scene:
        """The simulation of this setting."""
        probed, costs = self._probed(setting.num_workers)
        scale = (setting.batch_size or 1) / (self.seen.start.batch_size or 1)
        small = self._smaller()
        computing = self._computing(costs, small) * scale
        waiting = waiting_of(costs) * scale / self.world.storage
        own = 0.0 if self._pinned(probed) else costs.next_cpu
        receive = (own or costs.receive_cpu) * scale
        pin = self.seen.contents.copy_seconds * scale * small
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
            pin=pin if self._pinned(setting) else None,
            consume=_phases(step_cpu, self.step_seconds - step_cpu),
            cores=self.world.cores or self.seen.cpus,
            storage=storage(self.seen) * self.world.storage,
            weight=max(1.0, costs.fetch_process / max(costs.fetch_cpu, _LEAST))
            if costs.fetch_process > 1.2 * costs.fetch_cpu
            else 1.0,
            crowding=crowding(self.seen),
        )

    def _probed(self, workers: int) -> tuple[Setting, Costs]:
        """The setting with the next number of workers of which costs are known."""
        known = [(t.setting, t.costs) for t in self.seen.trials if t.costs]
        known = known or [(t.setting, _outside(t)) for t in self.seen.trials]
        same = [one for one in known if bool(workers) == bool(one[0].num_workers)]
        if workers:  # costs of one are without disturbance by others
            same = [one for one in same if one[0].num_workers == 1] or same
        return min(same or known, key=lambda one: abs(one[0].num_workers - workers))

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


def _outside(trial: Trial) -> Costs:
    """What a batch costs as seen from outside: nobody saw one being made."""
    workers = max(1, trial.setting.num_workers)
    wall = max(_LEAST, trial.batch_seconds * workers)
    used = trial.window.own / max(1, trial.batches)
    return Costs(
        fetch_wall=wall, fetch_cpu=min(wall, used), fetch_process=used, process=used
    )


def _mean(tasks: Sequence[tuple[float, float]]) -> float:
    """Seconds of a batch for a worker that is alone."""
    return sum(map(sum, tasks)) / len(tasks)


def _phases(computing: float, waiting: float) -> tuple[Phase, ...]:
    return (CPU, max(_LEAST, computing)), (TIME, max(0.0, waiting))


def _around(values: Sequence[float], mean: float, quiet: float) -> list[float]:
    """The same spread around another mean, and less of it for larger batches."""
    old = sum(values) / len(values)
    if old <= 0:
        return [mean] * len(values)
    return [max(0.0, mean * (1 + (v / old - 1) / quiet)) for v in values]
