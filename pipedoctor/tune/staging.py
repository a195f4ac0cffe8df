"""Set the stage: what is simulated for a setting, by what the pipeline costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pipedoctor.facts import Costs, Pipeline, Setting, Trial
from pipedoctor.tune.scene import CPU, TIME, Phase, Scene
from pipedoctor.tune.sharing import crowding, storage, waiting_of

_TASKS = 192
_LEAST = 1e-6
_SHAKE = 2e-4
"""Seconds in which an idle worker hands one descriptor over."""


@dataclass(frozen=True, kw_only=True)
class World:
    """What shall be imagined different from this machine; None = as it is."""

    cores: float | None = None
    storage: float = 1.0
    """How many times as fast."""
    uint8: bool = False
    """Batches of bytes instead of floats."""


@dataclass(frozen=True)
class Stage:
    """A pipeline, and the world that it shall run in."""

    seen: Pipeline
    world: World

    @property
    def step_seconds(self) -> float:
        """What the consumer takes for a batch."""
        steps = [trial.step_seconds for trial in self.seen.trials]
        return min(steps, default=0.0)

    def alone(self, setting: Setting) -> float:
        """Seconds of a batch for a worker that is alone."""
        tasks = self.scene(setting).tasks
        return sum(map(sum, tasks)) / len(tasks)

    def pinned(self, setting: Setting) -> bool:
        """Does pin_memory do something?"""
        return setting.pin_memory and self.seen.pins

    def scene(self, setting: Setting) -> Scene:
        """The simulation of this setting."""
        probed, costs = self._probed(setting.num_workers)
        scale = self.seen.scale(setting)
        small = self._smaller()
        computing = self._computing(costs, small) * scale
        waiting = waiting_of(costs) * scale / self.world.storage
        own = 0.0 if self.pinned(probed) else costs.next_cpu
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
            pin=pin if self.pinned(setting) else None,
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

    def shared(self, setting: Setting) -> int:
        """Bytes of a batch in /dev/shm."""
        scale = self.seen.scale(setting)
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
        idle, busy = _rows(items, number)
        quiet = (size / number) ** 0.5  # the mean of more items varies less
        return list(
            zip(
                _around(idle, waiting, quiet),
                _around(busy, computing, quiet),
                strict=True,
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


def _phases(computing: float, waiting: float) -> tuple[Phase, ...]:
    return (CPU, max(_LEAST, computing)), (TIME, max(0.0, waiting))


@lru_cache(maxsize=8)
def _rows(
    items: tuple[tuple[float, float], ...], number: int
) -> tuple[list[float], list[float]]:
    """Seconds that batches of so many items wait, and compute."""
    rows = [
        [items[(begin + k) % len(items)] for k in range(number)]
        for begin in range(0, _TASKS * number, number)
    ]
    idle = [sum(max(0.0, w - c) for w, c in row) for row in rows]
    return idle, [sum(c for _, c in row) for row in rows]


def _around(values: Sequence[float], mean: float, quiet: float) -> list[float]:
    """The same spread around another mean, and less of it for larger batches."""
    old = sum(values) / len(values)
    if old <= 0:
        return [mean] * len(values)
    return [max(0.0, mean * (1 + (v / old - 1) / quiet)) for v in values]
