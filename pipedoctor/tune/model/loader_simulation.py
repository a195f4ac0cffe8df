"""One run of a DataLoader as torch schedules it, event by event."""

import random
from collections import deque
from collections.abc import Sequence
from heapq import heappop, heappush

from pipedoctor.tune.model.types import (
    CPU,
    STORAGE,
    TIME,
    Phase,
    SimulationInput,
    SteadyState,
)

_MAIN_PROCESS, _PIN_THREAD = -1, -2
_RUN_LENGTH = 12
"""Batches that a worker takes in a row."""
_MIN_AMOUNT = 1e-9


class _Resource:
    """Something that several share: each gets the same rate of progress."""

    __slots__ = ("clock", "deadlines", "kind", "rate")

    def __init__(self, needs: int) -> None:
        self.kind = needs
        self.clock = 0.0  # progress that everybody has made
        self.rate = 1.0
        self.deadlines: list[tuple[float, int, int]] = []


class LoaderSimulation:
    """The state of one run of the event simulation."""

    def __init__(
        self, scene: SimulationInput, batches: int, max_batches: float = float("inf")
    ) -> None:
        self.scene, self.batches, self.max_batches = scene, batches, max_batches
        self.now = 0.0
        self.resources = (_Resource(CPU), _Resource(STORAGE), _Resource(TIME))
        self.pending_phases: dict[int, Sequence[Phase]] = {}
        self.queues: list[deque[int]] = [deque() for _ in range(scene.workers)]
        self.current_batches: list[int | None] = [None] * scene.workers
        self.load = [0] * scene.workers
        self.generators = [random.Random(k) for k in range(scene.workers)]  # noqa: S311
        self.task_positions = [0] * scene.workers
        self.tasks_made = [0] * scene.workers
        self.start_delays: Sequence[float] = ()
        self.owners: dict[int, int] = {}
        self.arrivals: deque[int] = deque()
        self.ready_batches: dict[int, None] = {}  # received, in this order
        self.sent_count = self.next_worker = self.next_index = self.event_number = 0
        self.receiver = _MAIN_PROCESS if scene.pin_seconds is None else _PIN_THREAD
        self.unpickled_index: int | None = None  # what is unpickled
        self.is_consuming = self.is_handing_over = False
        self.handover_worker: int | None = None
        self.handover_end = 0.0
        self.latest_events = {
            _MAIN_PROCESS: 0,
            _PIN_THREAD: 0,
        }  # the phase of each that counts
        self.request_time = 0.0
        self.step_ends: list[float] = []
        self.waits: list[float] = []
        self.early_counts: list[int] = []

    def run_batches(self) -> None:
        """Go on until enough batches were consumed."""
        for _ in range(self.scene.workers * self.scene.prefetch):
            self.dispatch()
        for worker in range(self.scene.workers):
            self.start_batch(worker)
        while len(self.step_ends) < self.batches:
            self.advance()

    def run(self) -> SteadyState:
        """Run, and leave out the first batches, which only fill the queues."""
        self.run_batches()
        warm = min(
            len(self.step_ends) // 2,
            self.scene.workers * self.scene.prefetch + len(self.step_ends) // 8,
        )
        count = len(self.step_ends) - 1 - warm
        odd = count % self.scene.workers  # whole rounds, as in a real window
        warm, count = warm + odd, count - odd
        return SteadyState(
            batch_seconds=(self.step_ends[-1] - self.step_ends[warm]) / count,
            wait_seconds=sum(self.waits[warm + 1 :]) / count,
            early_batches=sum(self.early_counts[warm + 1 :]) / count,
            max_early_batches=max(self.early_counts),
        )

    def dispatch(self) -> None:
        """Send the next index to a worker: in turn, or to one that has room."""
        if self.sent_count >= self.max_batches:
            return
        for _ in range(self.scene.workers):
            worker = self.next_worker
            self.next_worker = (worker + 1) % self.scene.workers
            if self.scene.in_order or self.load[worker] < self.scene.prefetch:
                self.owners[self.sent_count] = worker
                self.queues[worker].append(self.sent_count)
                self.load[worker] += 1
                self.sent_count += 1
                return

    def start_batch(self, worker: int) -> None:
        """Let an idle worker begin its next batch."""
        if self.current_batches[worker] is None and self.queues[worker]:
            index = self.queues[worker].popleft()
            self.current_batches[worker] = index
            late = (
                self.start_delays[worker]
                if self.start_delays and not self.tasks_made[worker]
                else 0.0
            )
            waiting, computing = self.draw_task(worker)
            self.begin_phase(worker, ((TIME, late), (STORAGE, waiting), (CPU, computing)))
        elif self.handover_worker == worker and self.current_batches[worker] is None:
            self.handover_worker = None
            left = self.handover_end - self.now
            if left > 0:  # else it is pinned already
                quick = min(self.scene.handover_seconds[0], left)
                self.begin_phase(self.receiver, self.build_handover(quick))

    def draw_task(self, worker: int) -> tuple[float, float]:
        """
        What its next batch takes: the next one, and now and then one of elsewhere.

        Else workers whose batches have a rhythm would keep step for ever.
        """
        tasks = self.scene.tasks
        if self.tasks_made[worker] % _RUN_LENGTH == 0:
            self.task_positions[worker] = self.generators[worker].randrange(len(tasks))
        self.tasks_made[worker] += 1
        self.task_positions[worker] += 1
        return tasks[self.task_positions[worker] % len(tasks)]

    def begin_phase(self, actor: int, phases: Sequence[Phase]) -> None:
        """Start the first phase that takes any time; none: it is done at once."""
        for number, (needs, amount) in enumerate(phases):
            if amount > _MIN_AMOUNT:
                self.pending_phases[actor] = phases[number + 1 :]
                resource = self.resources[needs]
                self.event_number += 1
                if actor < 0:
                    self.latest_events[actor] = self.event_number
                heappush(
                    resource.deadlines,
                    (resource.clock + amount, self.event_number, actor),
                )
                if needs != TIME:
                    self.update_rate(resource)
                return
        self.finish_phases(actor)

    def update_rate(self, resource: _Resource) -> None:
        """How fast everybody goes who shares this resource now."""
        scene, number = self.scene, len(resource.deadlines)
        if resource.kind == STORAGE:
            resource.rate = scene.parallel_reads / number if number > scene.parallel_reads else 1.0
            return
        demand = number * scene.worker_cores
        resource.rate = scene.cores / demand if demand > scene.cores else 1.0
        if scene.cpu_contention and scene.cores > 1:
            busy = min(number, scene.cores) - 1
            resource.rate /= 1 + scene.cpu_contention * max(0.0, busy) / (scene.cores - 1)

    def advance(self) -> None:
        """Go to the next end of a phase."""
        waited = [resource for resource in self.resources if resource.deadlines]
        left = [(one.deadlines[0][0] - one.clock) / one.rate for one in waited]
        step = min(left)
        best = waited[left.index(step)]
        if step > 0:
            self.now += step
            for resource in waited:
                resource.clock += step * resource.rate
        _, order, who = heappop(best.deadlines)
        if best.kind != TIME:
            self.update_rate(best)
        if who >= 0 or order == self.latest_events[who]:
            self.begin_phase(who, self.pending_phases.pop(who))

    def finish_phases(self, actor: int) -> None:
        """A worker has finished a batch, or the main process a step."""
        if actor >= 0:
            index = self.current_batches[actor]
            assert index is not None  # noqa: S101  (it was working)
            self.current_batches[actor] = None
            self.arrivals.append(index)
            self.start_batch(actor)
            self.request_batch()
        elif actor == _MAIN_PROCESS and self.is_consuming:
            self.is_consuming = False
            self.step_ends.append(self.now)
            self.request_time = self.now
            self.request_batch()
        elif self.is_handing_over:
            self.is_handing_over = False
            self.finish_receiving()
        else:
            self.request_descriptors()

    def request_descriptors(self) -> None:
        """Ask the worker that made the batch for its descriptors."""
        assert self.unpickled_index is not None  # noqa: S101  (it was unpickling)
        owner = self.owners[self.unpickled_index]
        busy = self.current_batches[owner] is not None
        self.is_handing_over = True
        self.handover_worker = owner if busy else None
        self.handover_end = self.now + self.scene.handover_seconds[busy]
        self.begin_phase(self.receiver, self.build_handover(self.scene.handover_seconds[busy]))

    def build_handover(self, seconds: float) -> tuple[Phase, ...]:
        """Wait for the descriptors; then the batch may have to be pinned."""
        return (TIME, seconds), (CPU, self.scene.pin_seconds or 0.0)

    def request_batch(self) -> None:
        """The main process asks for a batch: one that is there, or the next one."""
        ready = self.find_ready()
        if not self.is_consuming and ready is not None:
            self.consume_batch(ready)
        self.start_receiving()

    def find_ready(self) -> int | None:
        """A batch that was received, and may be used now."""
        if self.scene.in_order:
            return self.next_index if self.next_index in self.ready_batches else None
        return next(iter(self.ready_batches), None)

    def start_receiving(self) -> None:
        """Unpickle what came first: the main process between its steps, or a thread."""
        free = self.receiver == _PIN_THREAD or not self.is_consuming
        if free and self.unpickled_index is None and self.arrivals:
            self.unpickled_index = self.arrivals.popleft()
            self.begin_phase(self.receiver, ((CPU, self.scene.receive_seconds),))

    def finish_receiving(self) -> None:
        """Put the unpickled batch aside until its turn comes."""
        index = self.unpickled_index
        assert index is not None  # noqa: S101  (it was unpickling)
        self.unpickled_index = self.handover_worker = None
        self.ready_batches[index] = None
        self.request_batch()

    def consume_batch(self, index: int) -> None:
        """Send another index, and consume the batch."""
        del self.ready_batches[index]
        self.load[self.owners.pop(index)] -= 1
        pinned = self.receiver == _PIN_THREAD  # which gives the descriptors back at once
        self.early_counts.append(0 if pinned else len(self.ready_batches))
        self.next_index += 1
        self.is_consuming = True
        self.dispatch()
        for worker in range(self.scene.workers):
            if self.current_batches[worker] is None:
                self.start_batch(worker)
        self.waits.append(self.now - self.request_time)
        self.begin_phase(_MAIN_PROCESS, self.scene.consumer_phases)
