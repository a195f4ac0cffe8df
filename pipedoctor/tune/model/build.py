"""Set the stage: what is simulated for a setting, by what the pipeline costs."""

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from pipedoctor.bottleneck.contention import (
    compute_waiting,
    estimate_cpu_contention,
    estimate_parallel_reads,
)
from pipedoctor.facts import Costs, Pipeline, Setting, Trial
from pipedoctor.tune.model.types import (
    CPU,
    TIME,
    Phase,
    SimulationInput,
)

_TASK_COUNT = 192
_MIN_SECONDS = 1e-6
_HANDOVER_SECONDS = 2e-4
"""Seconds in which an idle worker hands one descriptor over."""


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """What to imagine different from this machine; None = as it is."""

    cores: float | None = None
    storage: float = 1.0
    """How many times as fast."""
    uint8: bool = False
    """Batches of bytes instead of floats."""


class SimulationBuilder(msgspec.Struct, frozen=True):
    """Builds what is simulated for a setting from a probed pipeline and a scenario."""

    pipeline: Pipeline
    scenario: Scenario

    @property
    def step_seconds(self) -> float:
        """What the consumer takes for a batch."""
        steps = [trial.step_seconds for trial in self.pipeline.trials]
        return min(steps, default=0.0)

    def estimate_batch_seconds(self, setting: Setting) -> float:
        """Seconds of a batch for a worker that has the machine to itself."""
        tasks = self.build_input(setting).tasks
        return sum(map(sum, tasks)) / len(tasks)

    def is_pinning(self, setting: Setting) -> bool:
        """Does pin_memory do something?"""
        return setting.pin_memory and self.pipeline.pins

    def build_input(self, setting: Setting) -> SimulationInput:
        """The simulation of this setting."""
        probed, costs = self._find_nearest_probe(setting.num_workers)
        scale = self.pipeline.compute_batch_scale(setting)
        small = self._compute_byte_ratio()
        computing = self._sum_cpu_seconds(costs, small) * scale
        waiting = compute_waiting(costs) * scale / self.scenario.storage
        own = 0.0 if self.is_pinning(probed) else costs.next_cpu
        receive = (own or costs.receive_cpu) * scale
        pin = self.pipeline.contents.copy_seconds * scale * small
        hand = max(0.0, costs.receive_wall - costs.receive_cpu) * scale
        first = self.pipeline.trials[0]
        step_cpu = min(first.step_cpu, self.step_seconds)
        return SimulationInput(
            tasks=self._build_tasks(setting, waiting, computing),
            workers=setting.num_workers,
            prefetch=setting.prefetch_factor or 2,
            in_order=setting.in_order,
            receive_seconds=max(_MIN_SECONDS, receive),
            handover_seconds=(
                min(hand, _HANDOVER_SECONDS * self.pipeline.contents.objects * scale),
                hand,
            ),
            pin_seconds=pin if self.is_pinning(setting) else None,
            consumer_phases=_build_consumer_phases(step_cpu, self.step_seconds - step_cpu),
            cores=self.scenario.cores or self.pipeline.cpus,
            parallel_reads=estimate_parallel_reads(self.pipeline) * self.scenario.storage,
            worker_cores=max(1.0, costs.fetch_process / max(costs.fetch_cpu, _MIN_SECONDS))
            if costs.fetch_process > 1.2 * costs.fetch_cpu
            else 1.0,
            cpu_contention=estimate_cpu_contention(self.pipeline),
        )

    def _find_nearest_probe(self, workers: int) -> tuple[Setting, Costs]:
        """The setting with the next number of workers of which costs are known."""
        costs_by_setting = [(t.setting, t.costs) for t in self.pipeline.trials if t.costs]
        costs_by_setting = costs_by_setting or [
            (t.setting, _estimate_costs(t)) for t in self.pipeline.trials
        ]
        same = [one for one in costs_by_setting if bool(workers) == bool(one[0].num_workers)]
        if workers:  # costs of one are without disturbance by others
            same = [one for one in same if one[0].num_workers == 1] or same
        return min(same or costs_by_setting, key=lambda one: abs(one[0].num_workers - workers))

    def _sum_cpu_seconds(self, costs: Costs, byte_ratio: float) -> float:
        """CPU seconds of one thread for a batch, until it is sent."""
        rest = max(0.0, costs.process - costs.fetch_process - costs.collate_cpu)
        return costs.fetch_cpu + costs.collate_cpu * byte_ratio + rest

    def _compute_byte_ratio(self) -> float:
        """Bytes of a batch in the imagined world, as a share of what they are."""
        contents = self.pipeline.contents
        if not self.scenario.uint8 or not contents.bytes:
            return 1.0
        return 1 - 0.75 * contents.float_bytes / contents.bytes

    def count_shared_bytes(self, setting: Setting) -> int:
        """Bytes of a batch in /dev/shm."""
        scale = self.pipeline.compute_batch_scale(setting)
        return int(self.pipeline.contents.shared_bytes * scale * self._compute_byte_ratio())

    def _build_tasks(
        self, setting: Setting, waiting: float, computing: float
    ) -> Sequence[tuple[float, float]]:
        """
        Batches of the items that were seen, in their order, around the mean costs.

        In their order, since what comes at intervals is no accident: Python's garbage
        collector, the end of a file.
        """
        items = self.pipeline.items
        if not items or not setting.num_workers:
            return [(waiting, computing)]
        size = setting.batch_size or 1
        number = max(8, min(size, 64))
        idle, busy = _sum_batch_costs(items, number)
        quiet = (size / number) ** 0.5  # the mean of more items varies less
        return list(
            zip(
                _scale_spread(idle, waiting, quiet),
                _scale_spread(busy, computing, quiet),
                strict=True,
            )
        )


def _estimate_costs(trial: Trial) -> Costs:
    """What a batch costs as seen from outside: nobody saw one being made."""
    workers = max(1, trial.setting.num_workers)
    wall = max(_MIN_SECONDS, trial.batch_seconds * workers)
    used = trial.window.own / max(1, trial.batches)
    return Costs(fetch_wall=wall, fetch_cpu=min(wall, used), fetch_process=used, process=used)


def _build_consumer_phases(computing: float, waiting: float) -> tuple[Phase, ...]:
    return (CPU, max(_MIN_SECONDS, computing)), (TIME, max(0.0, waiting))


@lru_cache(maxsize=8)
def _sum_batch_costs(
    items: tuple[tuple[float, float], ...], number: int
) -> tuple[list[float], list[float]]:
    """Seconds that batches of `number` items wait, and seconds that they compute."""
    rows = [
        [items[(begin + k) % len(items)] for k in range(number)]
        for begin in range(0, _TASK_COUNT * number, number)
    ]
    idle = [sum(max(0.0, w - c) for w, c in row) for row in rows]
    return idle, [sum(c for _, c in row) for row in rows]


def _scale_spread(values: Sequence[float], mean: float, damping: float) -> list[float]:
    """The same spread around another mean, and less of it for larger batches."""
    old = sum(values) / len(values)
    if old <= 0:
        return [mean] * len(values)
    return [max(0.0, mean * (1 + (v / old - 1) / damping)) for v in values]
