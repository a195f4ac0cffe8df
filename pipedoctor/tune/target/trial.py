"""Run one setting for a while and measure it."""

# Samples, batches and samplers are the user's: nobody knows their types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

import os
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from msgspec.structs import replace
from torch.utils.data import IterableDataset

from pipedoctor.bench.window import CpuMeter
from pipedoctor.facts import Window
from pipedoctor.tune.target import endless_loader
from pipedoctor.tune.target.batch import fingerprint_batch, measure_contents, time_copying
from pipedoctor.tune.target.clocks import BatchRecorder
from pipedoctor.tune.target.gpu_state import measure_kernel_seconds
from pipedoctor.tune.target.loader_failure import NO_BATCH, EmptyLoaderError, LoaderFailedError
from pipedoctor.tune.target.memory import WorkerMemorySample, count_descriptors
from pipedoctor.tune.target.messages import EpochEnded, StageShares, TrialMeasured, TrialTask
from pipedoctor.tune.target.trace import measure_fault_seconds, trace_stages
from pipedoctor.tune.target.trial_process import can_keep, is_slow_start
from pipedoctor.tune.target.window_statistics import (
    average_times,
    build_costs,
    compute_grace,
    divide_by_batches,
    estimate_rate_error,
)

_MAX_ITEMS = 500
"""Items whose times are handed on."""
_SETTLED_ERROR = 0.015
"""Relative error of a rate that needs no longer window."""
_QUIET_ERROR, _QUIET_ROUNDS = 0.003, 10
"""The same of one that is known after half of the window, by so many rounds."""
_MAX_ENDING_SECONDS = 0.4
"""Seconds of batches on their way, to see how an epoch ends."""
_MAX_BATCHES = 200_000
"""Batches of a window; a loader that fast needs no more."""


class RecordedSoFar(NamedTuple):
    """Totals of every worker, and how many batches the main process had received."""

    totals: list[dict[str, float]]
    received: int


class TrialRun:
    """One loader under measurement: a first batch, a drained queue, a window."""

    def __init__(self, task: TrialTask) -> None:
        self.source, self.request, self.step = task.source, task.request, task.step
        self.is_kept = task.is_kept
        self.setting = self.request.setting
        self.workers = self.setting.num_workers
        self.recorder = BatchRecorder(items=self.request.items)
        self.recorder.install_clocks()
        self.descriptors = count_descriptors()
        self.begin_time = time.perf_counter()
        context = self.request.context or "fork"
        self.loader = endless_loader.build_loader(self.source, self.setting, context=context)
        self.iterator = iter(self.loader)
        self.start_seconds = time.perf_counter() - self.begin_time
        self.step_ends: list[float] = []
        self.waits: list[float] = []
        self.next_cpu = self.step_cpu = 0.0
        self.memory = WorkerMemorySample()
        self.has_first_batch = False

    @property
    def queue_size(self) -> int:
        """Batches that wait in a full queue."""
        return self.workers * int(self.setting.prefetch_factor or 0)

    def take_first_batch(self) -> None:
        """Take the first batch: how long it took, and what is in it."""
        batch = self._next_batch()
        self.has_first_batch = True
        self.first_batch_seconds = time.perf_counter() - self.begin_time
        self.contents = replace(measure_contents(batch), copy_seconds=time_copying(batch))
        self.fingerprints = [fingerprint_batch(batch)] if self.is_streaming else []
        begin = time.perf_counter()
        self.step(batch)
        self.first_step_seconds = time.perf_counter() - begin
        self.begin_time += compute_grace(self.request, self.first_step_seconds)

    def drain_queue(self) -> None:
        """Use up what was made before the clock runs, for a share of the time."""
        end = self.begin_time + self.request.limit * 0.45
        left, taken, begin = self.queue_size + 2, 0, time.perf_counter()
        while taken < left:
            batch = self._next_batch()
            if self.is_streaming and len(self.fingerprints) <= self.workers:
                self.fingerprints.append(fingerprint_batch(batch))
            self.step(batch)
            taken += 1
            now = time.perf_counter()
            if now > end:
                return
            if taken == self.workers:
                self.memory.take(self.worker_pids, self._count_batches_made())
                spent = time.perf_counter() - now  # in which others were made
                left += min(self.queue_size, int(spent * taken / (now - begin)))

    def _count_batches_made(self) -> float:
        """Batches that workers have made until now."""
        return sum(t["batches"] for t in self.recorder.read_totals(self.workers))

    @property
    def worker_pids(self) -> list[int]:
        """Of the workers."""
        workers = getattr(self.iterator, "_workers", [])
        return [worker.pid for worker in workers if worker.pid]

    @property
    def is_streaming(self) -> bool:
        """Do several workers read a stream, each from its beginning?"""
        return self.workers > 1 and isinstance(self.loader.dataset, IterableDataset)

    @property
    def has_copies(self) -> bool:
        """Do the first workers give the same, and the first one then something else?"""
        marks = self.fingerprints
        if len(marks) <= self.workers or not self.setting.in_order:
            return False
        return marks[0] == marks[1] != marks[self.workers]

    def measure_window(self) -> None:
        """Take whole rounds of batches until the window is long enough."""
        begin = self.last = time.perf_counter()
        hard = max(begin + 0.3, self.begin_time + self.request.limit)
        end = min(begin + self.request.seconds, hard)
        later = min(begin + self.request.seconds + self.request.more, hard)
        soon = begin + self.request.seconds / 2
        whole = max(1, self.workers)
        self.step_ends = [begin]
        while len(self.step_ends) < _MAX_BATCHES:
            wall, cpu = time.perf_counter(), time.thread_time()
            batch = self._next_batch()
            got, mid = time.perf_counter(), time.thread_time()
            self.step(batch)
            now = time.perf_counter()
            self.waits.append(got - wall)
            self.next_cpu += mid - cpu
            self.step_cpu += time.thread_time() - mid
            self.step_ends.append(now)
            rounds, odd = divmod(len(self.step_ends) - 1, whole)
            if now >= hard:
                return
            if now >= soon and not odd:  # asked once: it takes a while
                soon = float("inf")
                if rounds >= _QUIET_ROUNDS and self.is_settled(whole, _QUIET_ERROR):
                    return
            settled = now >= end and not odd and rounds > 1
            if settled and (now >= later or self.is_settled(whole)):
                return

    def count_so_far(self) -> RecordedSoFar:
        """What was recorded until now, to be taken off what comes."""
        totals = self.recorder.read_totals(self.workers)
        return RecordedSoFar(totals, len(self.recorder.receive_times))

    def build_answer(self, earlier_totals: RecordedSoFar, window: Window) -> TrialMeasured:
        """Everything that was seen; the last that is read while workers run."""
        stamps, recorder = self.step_ends, self.recorder
        batches, seconds = len(stamps) - 1, stamps[-1] - stamps[0]
        step_seconds = (seconds - sum(self.waits)) / batches
        recorded = divide_by_batches(earlier_totals.totals, recorder.read_totals(self.workers))
        received = average_times(recorder.receive_times[earlier_totals.received :])
        descriptors = count_descriptors() - self.descriptors
        uss, growth = self.memory.summarize(self.worker_pids, self._count_batches_made())
        items = recorder.read_item_times(self.workers) if recorder.records_items else []
        return TrialMeasured(
            contents=self.contents,
            first_batch_seconds=self.first_batch_seconds,
            started_seconds=self.start_seconds,
            window=window,
            batches=batches,
            seconds=seconds,
            spread=estimate_rate_error(stamps, max(1, self.workers)),
            wait_seconds=sum(self.waits) / batches,
            step_seconds=step_seconds,
            step_cpu=self.step_cpu / batches,
            costs=build_costs(recorded, received, self.next_cpu / batches if uss else 0.0),
            descriptors=descriptors,
            workers_uss=uss,
            growth=growth,
            items=tuple(items[-_MAX_ITEMS:]),
            stages=self._trace_stages(),
            copies=self.has_copies,
            kernel_seconds=self._measure_kernels(),
            kept=self._is_worth_keeping(step_seconds),
        )

    def _is_worth_keeping(self, step_seconds: float) -> bool:
        """Would the first step of another process take long again?"""
        slow = self.is_kept or is_slow_start(self.first_step_seconds, step_seconds)
        return slow and can_keep(self.request)

    def close(self) -> None:
        """End the workers and take the clocks off, for another trial of this process."""
        end_workers: Any = getattr(self.iterator, "_shutdown_workers", None)
        if end_workers is not None:
            end_workers()
        del self.iterator, self.loader
        self.recorder.remove_clocks()

    def _measure_kernels(self) -> float | None:
        if not self.request.trace:
            return None
        batches = iter(self._next_batch, None)
        return measure_kernel_seconds(torch, batches, self.step, self.request.trace)

    def _trace_stages(self) -> StageShares | None:
        if not self.request.trace:
            return None
        wall, cpu = trace_stages(self.loader, self.request.trace)
        return StageShares(wall=wall, cpu=cpu, fault_seconds=measure_fault_seconds())

    def end_epoch(self) -> float | None:
        """
        Let the epoch end: seconds from its last batch until the workers have ended.

        None where that says nothing, or would take long.
        """
        is_persistent = self.setting.persistent_workers
        each = (self.step_ends[-1] - self.step_ends[0]) / (len(self.step_ends) - 1)
        streams = isinstance(self.loader.dataset, IterableDataset)
        if (
            not self.workers
            or is_persistent
            or streams
            or self.queue_size * each > _MAX_ENDING_SECONDS
        ):
            return None
        endless_loader.finish_epoch()
        last = time.perf_counter()
        for _ in self.iterator:
            last = time.perf_counter()
        return time.perf_counter() - last

    def is_settled(self, round_size: int, max_error: float = _SETTLED_ERROR) -> bool:
        """Would a longer window say no more?"""
        error = estimate_rate_error(self.step_ends, round_size)
        return error is not None and error < max_error

    def _next_batch(self) -> Any:
        try:
            return next(self.iterator)
        except StopIteration:
            raise self._build_end_error() from None

    def _build_end_error(self) -> LoaderFailedError:
        if self.has_first_batch:
            return LoaderFailedError("it ends, and yields nothing when iterated again")
        return EmptyLoaderError(
            f"{NO_BATCH}: {endless_loader.explain_no_batch(self.source, self.setting)}"
        )


def run_trial(task: TrialTask, send_answer: Callable[[TrialMeasured | EpochEnded], None]) -> bool:
    """
    Measure the setting that is asked for; raises whatever the user's code raises.

    `send_answer` gets it while the workers still run: to end them takes time. Is this
    process to be kept for another trial?
    """
    warnings.simplefilter("ignore")
    if torch.get_num_threads() == 1:  # else the target has chosen for itself
        torch.set_num_threads(task.threads)
    running = TrialRun(task)
    running.take_first_batch()
    running.drain_queue()
    before = running.count_so_far()
    meter = CpuMeter(sessions=[os.getsid(0)])
    meter.start()
    running.measure_window()
    window = meter.stop()
    answer = running.build_answer(before, window)
    send_answer(answer)
    ending = running.end_epoch() if task.request.ends else None
    if answer.kept:
        running.close()
    if answer.kept or task.request.ends:
        send_answer(EpochEnded(seconds=ending))
    return answer.kept
