"""The DataLoader as torch schedules it, event by event."""

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from heapq import heappop, heappush

from pipedoctor.tune.scene import CPU, STORAGE, TIME, Course, Phase, Scene, Whole

_MAIN, _PIN = -1, -2
_EVEN, _VARIED = 100, 320
"""Batches to be run where they take about the same, and where they do not."""
_ALIKE = 1.3
_RUN = 12
"""Batches that a worker takes in a row."""
_TINY = 1e-9


class _Resource:
    """Something that several share: each gets the same rate of progress."""

    __slots__ = ("clock", "due", "needs", "rate")

    def __init__(self, needs: int) -> None:
        self.needs = needs
        self.clock = 0.0  # progress that everybody has made
        self.rate = 1.0
        self.due: list[tuple[float, int, int]] = []


class _Simulation:
    """The state of one run."""

    def __init__(self, scene: Scene, batches: int, most: float = float("inf")) -> None:
        self.scene, self.batches, self.most = scene, batches, most
        self.now = 0.0
        self.resources = (_Resource(CPU), _Resource(STORAGE), _Resource(TIME))
        self.left: dict[int, Sequence[Phase]] = {}
        self.queues: list[deque[int]] = [deque() for _ in range(scene.workers)]
        self.working: list[int | None] = [None] * scene.workers
        self.load = [0] * scene.workers
        self.draws = [random.Random(k) for k in range(scene.workers)]  # noqa: S311
        self.at = [0] * scene.workers
        self.made = [0] * scene.workers
        self.late: Sequence[float] = ()
        self.owner: dict[int, int] = {}
        self.arrived: deque[int] = deque()
        self.ready: dict[int, None] = {}  # received, in this order
        self.sent = self.turn = self.wanted = self.order = 0
        self.receiver = _MAIN if scene.pin is None else _PIN
        self.holding: int | None = None  # what is unpickled
        self.using = self.held = False
        self.shaking: int | None = None
        self.shaken = 0.0
        self.latest = {_MAIN: 0, _PIN: 0}  # the phase of each that counts
        self.asked = 0.0
        self.marks: list[float] = []
        self.waits: list[float] = []
        self.early: list[int] = []

    def go(self) -> None:
        """Go on until enough batches were consumed."""
        for _ in range(self.scene.workers * self.scene.prefetch):
            self.dispatch()
        for worker in range(self.scene.workers):
            self.work(worker)
        while len(self.marks) < self.batches:
            self.advance()

    def run(self) -> Course:
        """Without the first batches, which only fill the queues."""
        self.go()
        warm = min(
            len(self.marks) // 2,
            self.scene.workers * self.scene.prefetch + len(self.marks) // 8,
        )
        count = len(self.marks) - 1 - warm
        odd = count % self.scene.workers  # whole rounds, as in a real window
        warm, count = warm + odd, count - odd
        return Course(
            batch_seconds=(self.marks[-1] - self.marks[warm]) / count,
            wait_seconds=sum(self.waits[warm + 1 :]) / count,
            early=sum(self.early[warm + 1 :]) / count,
            most_early=max(self.early),
        )

    def dispatch(self) -> None:
        """Send the next index to a worker: in turn, or to one that has room."""
        if self.sent >= self.most:
            return
        for _ in range(self.scene.workers):
            worker = self.turn
            self.turn = (worker + 1) % self.scene.workers
            if self.scene.in_order or self.load[worker] < self.scene.prefetch:
                self.owner[self.sent] = worker
                self.queues[worker].append(self.sent)
                self.load[worker] += 1
                self.sent += 1
                return

    def work(self, worker: int) -> None:
        """Let an idle worker begin its next batch."""
        if self.working[worker] is None and self.queues[worker]:
            index = self.queues[worker].popleft()
            self.working[worker] = index
            late = self.late[worker] if self.late and not self.made[worker] else 0.0
            waiting, computing = self.task(worker)
            self.begin(worker, ((TIME, late), (STORAGE, waiting), (CPU, computing)))
        elif self.shaking == worker and self.working[worker] is None:
            self.shaking = None
            left = self.shaken - self.now
            if left > 0:  # else it is pinned already
                quick = min(self.scene.shake[0], left)
                self.begin(self.receiver, self.handing(quick))

    def task(self, worker: int) -> tuple[float, float]:
        """
        What its next batch takes: the next one, and now and then one of elsewhere.

        Else workers whose batches have a rhythm would keep step for ever.
        """
        tasks = self.scene.tasks
        if self.made[worker] % _RUN == 0:
            self.at[worker] = self.draws[worker].randrange(len(tasks))
        self.made[worker] += 1
        self.at[worker] += 1
        return tasks[self.at[worker] % len(tasks)]

    def begin(self, who: int, phases: Sequence[Phase]) -> None:
        """Start the first phase that takes any time; none: it is done at once."""
        for number, (needs, amount) in enumerate(phases):
            if amount > _TINY:
                self.left[who] = phases[number + 1 :]
                resource = self.resources[needs]
                self.order += 1
                if who < 0:
                    self.latest[who] = self.order
                heappush(resource.due, (resource.clock + amount, self.order, who))
                if needs != TIME:
                    self.pace(resource)
                return
        self.done(who)

    def pace(self, resource: _Resource) -> None:
        """How fast everybody goes who shares this resource now."""
        scene, number = self.scene, len(resource.due)
        if resource.needs == STORAGE:
            resource.rate = scene.storage / number if number > scene.storage else 1.0
            return
        wanted = number * scene.weight
        resource.rate = scene.cores / wanted if wanted > scene.cores else 1.0
        if scene.crowding and scene.cores > 1:
            busy = min(number, scene.cores) - 1
            resource.rate /= 1 + scene.crowding * max(0.0, busy) / (scene.cores - 1)

    def advance(self) -> None:
        """Go to the next end of a phase."""
        waited = [resource for resource in self.resources if resource.due]
        left = [(one.due[0][0] - one.clock) / one.rate for one in waited]
        step = min(left)
        best = waited[left.index(step)]
        if step > 0:
            self.now += step
            for resource in waited:
                resource.clock += step * resource.rate
        _, order, who = heappop(best.due)
        if best.needs != TIME:
            self.pace(best)
        if who >= 0 or order == self.latest[who]:
            self.begin(who, self.left.pop(who))

    def done(self, who: int) -> None:
        """A worker has finished a batch, or the main process a step."""
        if who >= 0:
            index = self.working[who]
            assert index is not None  # noqa: S101  (it was working)
            self.working[who] = None
            self.arrived.append(index)
            self.work(who)
            self.main()
        elif who == _MAIN and self.using:
            self.using = False
            self.marks.append(self.now)
            self.asked = self.now
            self.main()
        elif self.held:
            self.held = False
            self.received()
        else:
            self.shake()

    def shake(self) -> None:
        """Ask the worker that made the batch for its descriptors."""
        assert self.holding is not None  # noqa: S101  (it was unpickling)
        owner = self.owner[self.holding]
        busy = self.working[owner] is not None
        self.held = True
        self.shaking = owner if busy else None
        self.shaken = self.now + self.scene.shake[busy]
        self.begin(self.receiver, self.handing(self.scene.shake[busy]))

    def handing(self, seconds: float) -> tuple[Phase, ...]:
        """Wait for the descriptors; then the batch may have to be pinned."""
        return (TIME, seconds), (CPU, self.scene.pin or 0.0)

    def main(self) -> None:
        """The main process asks for a batch: one that is there, or the next one."""
        found = self.there()
        if not self.using and found is not None:
            self.use(found)
        self.receive()

    def there(self) -> int | None:
        """A batch that was received, and may be used now."""
        if self.scene.in_order:
            return self.wanted if self.wanted in self.ready else None
        return next(iter(self.ready), None)

    def receive(self) -> None:
        """Unpickle what came first: the main process between its steps, or a thread."""
        free = self.receiver == _PIN or not self.using
        if free and self.holding is None and self.arrived:
            self.holding = self.arrived.popleft()
            self.begin(self.receiver, ((CPU, self.scene.receive),))

    def received(self) -> None:
        """It was unpickled; one that comes early is put aside."""
        index = self.holding
        assert index is not None  # noqa: S101  (it was unpickling)
        self.holding = self.shaking = None
        self.ready[index] = None
        self.main()

    def use(self, index: int) -> None:
        """Send another index, and consume the batch."""
        del self.ready[index]
        self.load[self.owner.pop(index)] -= 1
        pinned = self.receiver == _PIN  # which gives the descriptors back at once
        self.early.append(0 if pinned else len(self.ready))
        self.wanted += 1
        self.using = True
        self.dispatch()
        for worker in range(self.scene.workers):
            if self.working[worker] is None:
                self.work(worker)
        self.waits.append(self.now - self.asked)
        self.begin(_MAIN, self.scene.consume)


def simulate(scene: Scene) -> Course:
    """Run as many batches as say enough, and give each worker a few rounds."""
    return _simulated(replace(scene, tasks=tuple(scene.tasks)))


@lru_cache(maxsize=1024)
def _simulated(scene: Scene) -> Course:
    """A search asks for the same again after each trial that changes no cost."""
    if not scene.workers:
        return _alone(scene)
    each = [sum(task) for task in scene.tasks]
    batches = _VARIED if max(each) > _ALIKE * min(each) else _EVEN
    least = scene.workers * (scene.prefetch + 6)
    return _Simulation(scene, max(batches, least)).run()


def forget() -> None:
    """Simulate everything anew from now on; for those who measure how long it takes."""
    _simulated.cache_clear()


def whole(scene: Scene, batches: int, late: Sequence[float] = ()) -> Whole:
    """
    Run an epoch of so many batches with workers that wait for its first index.

    `late` is by how many seconds each of them comes later than the others.
    """
    epoch = _Simulation(scene, batches, batches)
    epoch.late = late
    epoch.go()
    return Whole(first=epoch.waits[0], seconds=epoch.marks[-1])


def _alone(scene: Scene) -> Course:
    """Without workers everything happens in turn."""
    rate = min(1.0, scene.cores / scene.weight)
    slow = min(1.0, scene.cores)
    made = sum(wait + work / rate for wait, work in scene.tasks) / len(scene.tasks)
    made += (scene.pin or 0.0) / slow
    used = sum(
        amount / slow if needs == CPU else amount for needs, amount in scene.consume
    )
    return Course(batch_seconds=made + used, wait_seconds=made)
