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

BATCH_TOTALS = (
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
_TOTALS_FORMAT = f"{len(BATCH_TOTALS)}d"
_PROCESS_INDEX = 4
"""Where `_read_clocks` gives the CPU time of the process."""
_TOTAL_INDICES = {name: number for number, name in enumerate(BATCH_TOTALS)}
MAX_ITEMS = 1500
"""Items whose own times a worker keeps."""
_DOUBLE_BYTES = 8
_SLOT_BYTES = _DOUBLE_BYTES * (len(BATCH_TOTALS) + 1 + 2 * MAX_ITEMS)
_MAX_SLOTS = 129
_SCHEDSTAT_FDS: dict[int, int] = {}
"""A descriptor for each process: a fork must not read its parent's."""


class GcTimer:
    """CPU seconds that Python's garbage collector took in this process."""

    def __init__(self) -> None:
        self.seconds = self._begin_time = 0.0

    def __call__(self, phase: str, about: dict[str, int]) -> None:
        """What `gc.callbacks` gets; the youngest objects alone cost next to nothing."""
        if not about["generation"]:
            return
        now = time.thread_time()
        if phase == "start":
            self._begin_time = now
        else:
            self.seconds += now - self._begin_time


class BatchRecorder:
    """Totals of every worker, in memory that forked workers share with us."""

    def __init__(self, *, items: bool) -> None:
        self.records_items = items
        self._memory = mmap.mmap(-1, _SLOT_BYTES * _MAX_SLOTS)
        self._totals = [0.0] * len(BATCH_TOTALS)  # of this process: a worker has its own copy
        self.receive_times: list[tuple[float, float]] = []
        self._main_pid = os.getpid()
        self._gc_timer = GcTimer()
        self._replaced: list[tuple[Any, str, Any]] = []

    def install_clocks(self) -> None:
        """Replace torch's fetch by one with clocks, and the pickler of queues too."""
        recorder = self
        gc.callbacks.append(self._gc_timer)
        mapped: Any = fetching._MapDatasetFetcher  # noqa: SLF001
        iterated: Any = fetching._IterableDatasetFetcher  # noqa: SLF001

        def of_map(self: Any, index: Any) -> Any:
            return recorder.fetch_and_collate(
                self.collate_fn, lambda: recorder.fetch_mapped(self, index)
            )

        original = iterated.fetch

        def of_iterable(self: Any, index: Any) -> Any:
            collate = self.collate_fn
            self.collate_fn = _return_unchanged
            try:
                return recorder.fetch_and_collate(collate, lambda: original(self, index))
            finally:
                self.collate_fn = collate

        self._replace(mapped, "fetch", of_map)
        self._replace(iterated, "fetch", of_iterable)
        self._replace(queues, "_ForkingPickler", _make_clocked_pickler(self))

    def _replace(self, owner: Any, name: str, value: Any) -> None:
        self._replaced.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    def remove_clocks(self) -> None:
        """Put torch's own back, for the clocks of another trial."""
        gc.callbacks.remove(self._gc_timer)
        while self._replaced:
            setattr(*self._replaced.pop())

    def fetch_mapped(self, fetcher: Any, index: Any) -> Any:
        """What `_MapDatasetFetcher.fetch` does before it collates."""
        dataset = fetcher.dataset
        if not fetcher.auto_collation:
            return self._fetch_item(dataset, index)
        many = getattr(dataset, "__getitems__", None)
        if many:
            return many(index)
        if self.records_items:
            return [self._fetch_item(dataset, i) for i in index]
        return [dataset[i] for i in index]

    def fetch_and_collate(self, collate: Callable[[Any], Any], fetch: Callable[[], Any]) -> Any:
        """Fetch and collate one batch between clocks."""
        a, collected = _read_clocks(), self._gc_timer.seconds
        data = fetch()
        b, collected = _read_clocks(), self._gc_timer.seconds - collected
        batch = collate(data)
        c = _read_clocks(with_delay=False)
        sums = self._totals
        sums[0] += 1
        for number in range(6):
            sums[1 + number] += b[number] - a[number]
        for number in range(3):
            sums[7 + number] += c[number] - b[number]
        sums[_TOTAL_INDICES["process"]] = c[_PROCESS_INDEX]
        sums[_TOTAL_INDICES["collector"]] += collected
        struct.pack_into(_TOTALS_FORMAT, self._memory, _get_slot() * _SLOT_BYTES, *sums)
        return batch

    def record_sent(self, wall: float, cpu: float) -> None:
        """Count one batch that the feeder thread of a worker has pickled."""
        if os.getpid() != self._main_pid:
            self._totals[_TOTAL_INDICES["send_wall"]] += wall
            self._totals[_TOTAL_INDICES["send_cpu"]] += cpu

    def record_received(self, wall: float, cpu: float) -> None:
        """Note one batch that the main process has unpickled."""
        if os.getpid() == self._main_pid:
            self.receive_times.append((wall, cpu))

    def read_totals(self, workers: int) -> list[dict[str, float]]:
        """The totals of every worker; of the main process where there is none."""
        slots = range(1, workers + 1) if workers else range(1)
        return [
            {name: self._read_value(slot, number) for name, number in _TOTAL_INDICES.items()}
            for slot in slots
        ]

    def read_item_times(self, workers: int) -> list[tuple[float, float]]:
        """Wall and CPU seconds of the items that were kept."""
        pairs: list[tuple[float, float]] = []
        for slot in range(1, workers + 1) if workers else range(1):
            count = min(int(self._read_value(slot, len(BATCH_TOTALS))), MAX_ITEMS)
            for k in range(count):
                at = len(BATCH_TOTALS) + 1 + 2 * k
                pairs.append((self._read_value(slot, at), self._read_value(slot, at + 1)))
        return pairs

    def _fetch_item(self, dataset: Any, index: Any) -> Any:
        wall, cpu, delay = time.perf_counter(), time.thread_time(), _read_run_delay()
        item = dataset[index]
        others = _read_run_delay() - delay
        self._record_item(time.perf_counter() - wall - others, time.thread_time() - cpu)
        return item

    def _record_item(self, wall: float, cpu: float) -> None:
        slot = _get_slot()
        count = int(self._read_value(slot, len(BATCH_TOTALS)))
        at = len(BATCH_TOTALS) + 1 + 2 * (count % MAX_ITEMS)
        self._write_value(slot, at, wall)
        self._write_value(slot, at + 1, cpu)
        self._write_value(slot, len(BATCH_TOTALS), count + 1.0)

    def _write_value(self, slot: int, number: int, value: float) -> None:
        struct.pack_into("d", self._memory, slot * _SLOT_BYTES + number * _DOUBLE_BYTES, value)

    def _read_value(self, slot: int, number: int) -> float:
        at = slot * _SLOT_BYTES + number * _DOUBLE_BYTES
        value: float = struct.unpack_from("d", self._memory, at)[0]
        return value


def _make_clocked_pickler(recorder: BatchRecorder) -> type:
    pickler: Any = vars(queues)["_ForkingPickler"]

    class ClockedPickler:
        """The pickler of queues, between clocks."""

        @staticmethod
        def dumps(thing: Any, *rest: Any) -> Any:
            wall, cpu = time.perf_counter(), time.thread_time()
            data = pickler.dumps(thing, *rest)
            recorder.record_sent(time.perf_counter() - wall, time.thread_time() - cpu)
            return data

        @staticmethod
        def loads(data: Any, *rest: Any) -> Any:
            wall, cpu = time.perf_counter(), time.thread_time()
            thing = pickler.loads(data, *rest)
            recorder.record_received(time.perf_counter() - wall, time.thread_time() - cpu)
            return thing

    return ClockedPickler


def _return_unchanged(data: Any) -> Any:
    return data


def _get_slot() -> int:
    """Slot 0 is the main process; each worker has its own."""
    info = get_worker_info()
    return 0 if info is None else min(info.id + 1, _MAX_SLOTS - 1)


def _read_clocks(*, with_delay: bool = True) -> tuple[float, float, float, float, float, float]:
    """Wall, CPU of this thread, faults, system time, CPU of the process, delay."""
    used = resource.getrusage(resource.RUSAGE_THREAD)
    return (
        time.perf_counter(),
        time.thread_time(),
        float(used.ru_minflt),
        used.ru_stime,
        time.process_time(),
        _read_run_delay() if with_delay else 0.0,
    )


def _read_run_delay() -> float:
    """Seconds for which this thread was ready to run, and others ran instead."""
    process = os.getpid()
    if process not in _SCHEDSTAT_FDS:
        try:
            _SCHEDSTAT_FDS[process] = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        except OSError:
            _SCHEDSTAT_FDS[process] = -1
    if _SCHEDSTAT_FDS[process] < 0:
        return 0.0
    text = os.pread(_SCHEDSTAT_FDS[process], 64, 0).split()
    return int(text[1]) / 1e9 if len(text) > 1 else 0.0
