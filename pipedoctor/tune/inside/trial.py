"""Run one setting for a while and measure it."""

# Samples, batches and samplers are the user's: nobody knows their types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

import os
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import msgspec
import torch
from torch.utils.data import IterableDataset

from pipedoctor.bench.window import Meter
from pipedoctor.tune.batchless import NONE
from pipedoctor.tune.inside import stream
from pipedoctor.tune.inside.batch import contents, copying, mark
from pipedoctor.tune.inside.figures import mean, per_batch, spread
from pipedoctor.tune.inside.memory import Size, growth, private, sizes
from pipedoctor.tune.inside.record import Recorder
from pipedoctor.tune.inside.target import innermost, said
from pipedoctor.tune.inside.trace import fault_seconds, stages

_PLENTY = 500
"""Items whose times are handed on."""
_KNOWN = 0.015
"""Relative error of a rate that needs no longer window."""
_QUIET, _MANY = 0.003, 10
"""The same of one that is known after half of the window, by so many rounds."""
_TO_THE_END = 0.4
"""Seconds that batches which are on their way may take, to see how an epoch ends."""
_LONGEST = 200_000
"""Batches of a window; a loader that fast needs no more."""


class Broken(Exception):  # noqa: N818  (what happened to the loader)
    """The loader failed while it was measured; the message says how."""


class Empty(Broken):
    """It gave not even a first batch."""


class Run:
    """A loader that runs: a first batch, a drained queue, a window."""

    def __init__(
        self, made: Any, ask: dict[str, Any], step: Callable[[Any], Any]
    ) -> None:
        self.given, self.ask, self.step = made, ask, step
        self.setting: dict[str, Any] = ask["setting"]
        self.workers: int = self.setting["num_workers"]
        self.recorder = Recorder(items=ask.get("items", False))
        self.recorder.install()
        self.descriptors = _descriptors()
        self.began = time.perf_counter()
        self.loader = stream.loader(made, self.setting)
        self.iterator = iter(self.loader)
        self.started = time.perf_counter() - self.began
        self.stamps: list[float] = []
        self.waits: list[float] = []
        self.next_cpu = self.step_cpu = self.made = 0.0
        self.sizes: list[Size] = []
        self.begun = False

    @property
    def queued(self) -> int:
        """Batches that wait in a full queue."""
        return self.workers * int(self.setting["prefetch_factor"] or 0)

    def first(self) -> dict[str, Any]:
        """Take the first batch: how long it took, and what is in it."""
        batch = self._next()
        self.begun = True
        waited = time.perf_counter() - self.began
        found = contents(batch)
        found["copy_seconds"] = copying(batch)
        self.marks = [mark(batch)] if self.streams else []
        self.step(batch)
        return {"first_batch_seconds": waited, "started_seconds": self.started, **found}

    def drain(self) -> None:
        """Use up what was made before the clock runs, for a share of the time."""
        end = self.began + self.ask["limit"] * 0.45
        left, taken, begin = self.queued + 2, 0, time.perf_counter()
        while taken < left:
            batch = self._next()
            if self.streams and len(self.marks) <= self.workers:
                self.marks.append(mark(batch))
            self.step(batch)
            taken += 1
            now = time.perf_counter()
            if now > end:
                return
            if taken == self.workers:
                self.look()
                spent = time.perf_counter() - now  # in which others were made
                left += min(self.queued, int(spent * taken / (now - begin)))

    def look(self) -> None:
        """See how large the workers are by now."""
        self.sizes, self.made = sizes(self.pids), self._made()

    def memory(self) -> dict[str, Any]:
        """Private bytes of each worker, the mean of now and before; how they grew."""
        now, made = sizes(self.pids), self._made()
        own = [size.private for size in now]
        if len(now) < len(self.pids):  # the kernel does not tell it all
            own = private(self.pids)
        if len(own) == len(self.sizes):
            pairs = zip(own, self.sizes, strict=True)
            own = [(size + before.private) // 2 for size, before in pairs]
        found = growth(self.sizes, now, made - self.made)
        each = (made + self.made) / 2 / max(1, self.workers)
        return {"workers_uss": own, "growth": [*found, each] if found else None}

    def _made(self) -> float:
        """Batches that workers have made until now."""
        return sum(t["batches"] for t in self.recorder.totals(self.workers))

    @property
    def pids(self) -> list[int]:
        """Of the workers."""
        workers = getattr(self.iterator, "_workers", [])
        return [worker.pid for worker in workers if worker.pid]

    @property
    def streams(self) -> bool:
        """Do several workers read a stream, each from its beginning?"""
        return self.workers > 1 and isinstance(self.loader.dataset, IterableDataset)

    @property
    def copies(self) -> bool:
        """Do the first workers give the same, and the first one then something else?"""
        marks = self.marks
        if len(marks) <= self.workers or not self.setting["in_order"]:
            return False
        return marks[0] == marks[1] != marks[self.workers]

    def window(self) -> None:
        """Take whole rounds of batches until the window is long enough."""
        begin = self.last = time.perf_counter()
        hard = max(begin + 0.3, self.began + self.ask["limit"])
        end = min(begin + self.ask["seconds"], hard)
        later = min(begin + self.ask["seconds"] + self.ask.get("more", 0.0), hard)
        soon = begin + self.ask["seconds"] / 2
        whole = max(1, self.workers)
        self.stamps = [begin]
        while len(self.stamps) < _LONGEST:
            wall, cpu = time.perf_counter(), time.thread_time()
            batch = self._next()
            got, mid = time.perf_counter(), time.thread_time()
            self.step(batch)
            now = time.perf_counter()
            self.waits.append(got - wall)
            self.next_cpu += mid - cpu
            self.step_cpu += time.thread_time() - mid
            self.stamps.append(now)
            rounds, odd = divmod(len(self.stamps) - 1, whole)
            if now >= hard:
                return
            if now >= soon and not odd:  # asked once: it takes a while
                soon = float("inf")
                if rounds >= _MANY and self.known(whole, _QUIET):
                    return
            settled = now >= end and not odd and rounds > 1
            if settled and (now >= later or self.known(whole)):
                return

    def end(self) -> float | None:
        """
        Let the epoch end: seconds from its last batch until the workers have ended.

        None where that says nothing, or would take long.
        """
        kept = self.setting["persistent_workers"]
        each = (self.stamps[-1] - self.stamps[0]) / (len(self.stamps) - 1)
        streams = isinstance(self.loader.dataset, IterableDataset)
        if not self.workers or kept or streams or self.queued * each > _TO_THE_END:
            return None
        stream.finish()
        last = time.perf_counter()
        for _ in self.iterator:
            last = time.perf_counter()
        return time.perf_counter() - last

    def known(self, whole: int, least: float = _KNOWN) -> bool:
        """Would a longer window say no more?"""
        error = spread(self.stamps, whole)
        return error is not None and error < least

    def _next(self) -> Any:
        try:
            return next(self.iterator)
        except StopIteration:
            raise self._ended() from None

    def _ended(self) -> Broken:
        if self.begun:
            return Broken("it ends, and gives nothing when it is read again")
        return Empty(f"{NONE}: {stream.nothing(self.given, self.setting)}")


def run(
    made: Any,
    ask: dict[str, Any],
    step: Callable[[Any], Any],
    tell: Callable[[dict[str, Any]], None],
) -> None:
    """
    Measure the setting that is asked for; raises whatever the user's code raises.

    `tell` gets the answer while the workers still run: to end them takes time.
    """
    warnings.simplefilter("ignore")
    if torch.get_num_threads() == 1:  # else the target has chosen for itself
        torch.set_num_threads(ask.get("threads", 1))
    running = Run(made, ask, step)
    answer = running.first()
    running.drain()
    answer["copies"] = running.copies
    recorder = running.recorder
    before, received = recorder.totals(running.workers), len(recorder.receives)
    meter = Meter(sessions=[os.getsid(0)])
    meter.start()
    running.window()
    seen = meter.stop()
    answer["window"] = msgspec.to_builtins(seen)
    answer |= _rates(running)
    answer["recorded"] = per_batch(before, recorder.totals(running.workers))
    answer["receive"] = mean(recorder.receives[received:])
    answer["descriptors"] = _descriptors() - running.descriptors
    answer |= running.memory()
    if recorder.items:
        answer["items"] = _latest(recorder.times_of_items(running.workers))
    if ask.get("trace"):
        answer["stages"] = stages(running.loader, ask["trace"])
        answer["fault_seconds"] = fault_seconds()
    tell(answer)
    if ask.get("ends", True):
        tell({"ending_seconds": running.end()})


def failed(error: BaseException) -> str:
    """One line for what the loader raised; of a worker's error, the original."""
    if isinstance(error, Broken):
        return str(error)
    text = "".join(traceback.format_exception_only(error))  # its own str() may raise
    if "DataLoader worker" in text and error.__cause__ is not None:
        error = error.__cause__  # of what did it die?
    if "Original Traceback" in text:
        lines = [line for line in text.strip().splitlines() if line.strip()]
        places = [line.strip() for line in lines if line.strip().startswith("File ")]
        return f"{lines[-1].strip()}{innermost(list(map(_place, places)))}"[:400]
    return said(error)


def _place(line: str) -> tuple[str, str]:
    _, name, rest = line.split('"', 2)
    return name, "".join(
        filter(str.isdecimal, rest.partition(",")[2].partition(",")[0])
    )


def _rates(running: Run) -> dict[str, Any]:
    stamps = running.stamps
    batches = len(stamps) - 1
    seconds = stamps[-1] - stamps[0]
    return {
        "batches": batches,
        "seconds": seconds,
        "spread": spread(stamps, max(1, running.workers)),
        "wait_seconds": sum(running.waits) / batches,
        "next_cpu": running.next_cpu / batches,
        "step_seconds": (seconds - sum(running.waits)) / batches,
        "step_cpu": running.step_cpu / batches,
    }


def _descriptors() -> int:
    try:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    except OSError:
        return 0


def _latest(items: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Some of them, in the order in which they came."""
    return items[-_PLENTY:]
