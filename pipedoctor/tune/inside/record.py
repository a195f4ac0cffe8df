"""Clocks around fetching, collating, sending and receiving, in every process."""

# Samples, batches and samplers are the user's: nobody knows their types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
# The fetchers of torch have no other name.
# pyright: reportPrivateUsage=false

import gc
import mmap
import os
import resource
import struct
import time
from collections.abc import Callable
from multiprocessing import queues
from typing import Any

import torch.utils.data._utils.fetch as fetching
from torch.utils.data import get_worker_info

BATCH = (
    "batches",
    "fetch_wall",
    "fetch_cpu",
    "fetch_faults",
    "fetch_system",
    "fetch_process",
    "fetch_delay",
    "collate_wall",
    "collate_cpu",
    "collate_faults",
    "send_wall",
    "send_cpu",
    "process",
    "collector",
)
"""Totals that each worker keeps, in this order."""
_ALL = f"{len(BATCH)}d"
_PROCESS = 4
"""Where `_now` gives the CPU time of the process."""
_FIELDS = {name: number for number, name in enumerate(BATCH)}
ITEMS = 1500
"""Items whose own times a worker keeps."""
_WIDTH = 8
_SLOT = _WIDTH * (len(BATCH) + 1 + 2 * ITEMS)
_WORKERS = 129
_STATISTICS: dict[int, int] = {}
"""A descriptor for each process: a fork must not read its parent's."""


class Collector:
    """CPU seconds that Python's garbage collector took in this process."""

    def __init__(self) -> None:
        self.seconds = self._began = 0.0

    def __call__(self, phase: str, about: dict[str, int]) -> None:
        """What `gc.callbacks` gets; the youngest objects alone cost next to nothing."""
        if not about["generation"]:
            return
        now = time.thread_time()
        if phase == "start":
            self._began = now
        else:
            self.seconds += now - self._began


class Recorder:
    """Totals of every worker, in memory that forked workers share with us."""

    def __init__(self, *, items: bool) -> None:
        self.items = items
        self._memory = mmap.mmap(-1, _SLOT * _WORKERS)
        self._sums = [0.0] * len(BATCH)  # of this process: a worker has its own copy
        self.receives: list[tuple[float, float]] = []
        self._main = os.getpid()
        self._collector = Collector()

    def install(self) -> None:
        """Replace torch's fetch by one with clocks, and the pickler of queues too."""
        recorder = self
        gc.callbacks.append(self._collector)
        mapped: Any = fetching._MapDatasetFetcher  # noqa: SLF001
        iterated: Any = fetching._IterableDatasetFetcher  # noqa: SLF001

        def of_map(self: Any, index: Any) -> Any:
            return recorder.around(
                self.collate_fn, lambda: recorder.mapped(self, index)
            )

        original = iterated.fetch

        def of_iterable(self: Any, index: Any) -> Any:
            collate = self.collate_fn
            self.collate_fn = _same
            try:
                return recorder.around(collate, lambda: original(self, index))
            finally:
                self.collate_fn = collate

        mapped.fetch = of_map
        iterated.fetch = of_iterable
        setattr(queues, "_ForkingPickler", _clocked(self))  # noqa: B010

    def mapped(self, fetcher: Any, index: Any) -> Any:
        """What `_MapDatasetFetcher.fetch` does before it collates."""
        dataset = fetcher.dataset
        if not fetcher.auto_collation:
            return self._item(dataset, index)
        many = getattr(dataset, "__getitems__", None)
        if many:
            return many(index)
        if self.items:
            return [self._item(dataset, i) for i in index]
        return [dataset[i] for i in index]

    def around(self, collate: Callable[[Any], Any], fetch: Callable[[], Any]) -> Any:
        """Fetch and collate one batch between clocks."""
        a, collected = _now(), self._collector.seconds
        data = fetch()
        b, collected = _now(), self._collector.seconds - collected
        batch = collate(data)
        c = _now(delay=False)
        sums = self._sums
        sums[0] += 1
        for number in range(6):
            sums[1 + number] += b[number] - a[number]
        for number in range(3):
            sums[7 + number] += c[number] - b[number]
        sums[_FIELDS["process"]] = c[_PROCESS]
        sums[_FIELDS["collector"]] += collected
        struct.pack_into(_ALL, self._memory, _slot() * _SLOT, *sums)
        return batch

    def sent(self, wall: float, cpu: float) -> None:
        """Count one batch that the feeder thread of a worker has pickled."""
        if os.getpid() != self._main:
            self._sums[_FIELDS["send_wall"]] += wall
            self._sums[_FIELDS["send_cpu"]] += cpu

    def received(self, wall: float, cpu: float) -> None:
        """Note one batch that the main process has unpickled."""
        if os.getpid() == self._main:
            self.receives.append((wall, cpu))

    def totals(self, workers: int) -> list[dict[str, float]]:
        """The totals of every worker; of the main process where there is none."""
        slots = range(1, workers + 1) if workers else range(1)
        return [
            {name: self._get(slot, number) for name, number in _FIELDS.items()}
            for slot in slots
        ]

    def times_of_items(self, workers: int) -> list[tuple[float, float]]:
        """Wall and CPU seconds of the items that were kept."""
        found: list[tuple[float, float]] = []
        for slot in range(1, workers + 1) if workers else range(1):
            count = min(int(self._get(slot, len(BATCH))), ITEMS)
            for k in range(count):
                at = len(BATCH) + 1 + 2 * k
                found.append((self._get(slot, at), self._get(slot, at + 1)))
        return found

    def _item(self, dataset: Any, index: Any) -> Any:
        wall, cpu, delay = time.perf_counter(), time.thread_time(), _delay()
        item = dataset[index]
        others = _delay() - delay
        self._keep(time.perf_counter() - wall - others, time.thread_time() - cpu)
        return item

    def _keep(self, wall: float, cpu: float) -> None:
        slot = _slot()
        count = int(self._get(slot, len(BATCH)))
        at = len(BATCH) + 1 + 2 * (count % ITEMS)
        self._put(slot, at, wall)
        self._put(slot, at + 1, cpu)
        self._put(slot, len(BATCH), count + 1.0)

    def _put(self, slot: int, number: int, value: float) -> None:
        struct.pack_into("d", self._memory, slot * _SLOT + number * _WIDTH, value)

    def _get(self, slot: int, number: int) -> float:
        at = slot * _SLOT + number * _WIDTH
        value: float = struct.unpack_from("d", self._memory, at)[0]
        return value


def _clocked(recorder: Recorder) -> type:
    pickler: Any = vars(queues)["_ForkingPickler"]

    class Clocked:
        """The pickler of queues, between clocks."""

        @staticmethod
        def dumps(thing: Any, *rest: Any) -> Any:
            wall, cpu = time.perf_counter(), time.thread_time()
            data = pickler.dumps(thing, *rest)
            recorder.sent(time.perf_counter() - wall, time.thread_time() - cpu)
            return data

        @staticmethod
        def loads(data: Any, *rest: Any) -> Any:
            wall, cpu = time.perf_counter(), time.thread_time()
            thing = pickler.loads(data, *rest)
            recorder.received(time.perf_counter() - wall, time.thread_time() - cpu)
            return thing

    return Clocked


def _same(data: Any) -> Any:
    return data


def _slot() -> int:
    """Slot 0 is the main process; each worker has its own."""
    info = get_worker_info()
    return 0 if info is None else min(info.id + 1, _WORKERS - 1)


def _now(*, delay: bool = True) -> tuple[float, float, float, float, float, float]:
    """Wall, CPU of this thread, faults, system time, CPU of the process, delay."""
    used = resource.getrusage(resource.RUSAGE_THREAD)
    return (
        time.perf_counter(),
        time.thread_time(),
        float(used.ru_minflt),
        used.ru_stime,
        time.process_time(),
        _delay() if delay else 0.0,
    )


def _delay() -> float:
    """Seconds for which this thread was ready to run, and others ran instead."""
    process = os.getpid()
    if process not in _STATISTICS:
        try:
            _STATISTICS[process] = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        except OSError:
            _STATISTICS[process] = -1
    if _STATISTICS[process] < 0:
        return 0.0
    text = os.pread(_STATISTICS[process], 64, 0).split()
    return int(text[1]) / 1e9 if len(text) > 1 else 0.0
