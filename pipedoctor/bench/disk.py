"""`bench disk`: what storage and page cache give, in the ways that loaders read."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from pipedoctor.bench.disk_plan import (
    MAX_LARGE_FILES,
    MAX_SMALL_FILES,
    MISSING_FILES,
    READING_PLANS,
    SMALL_FILE_BYTES,
    ReadableFiles,
    ReadingPlan,
    build_cold_read,
    build_jobs,
    build_reading,
    build_unknown_reading,
)
from pipedoctor.bench.file_reading import (
    ReadJob,
    ReadOptions,
    drop_cached_pages,
    read_jobs,
    read_warm,
)
from pipedoctor.bench.host import read_host
from pipedoctor.bench.quiet_machine import find_worst_disturbance, measure_quietly
from pipedoctor.bench.sampling import sample_evenly
from pipedoctor.bench.window import CpuMeter
from pipedoctor.collect.encodable import to_encodable
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.storage.dataset_walk import walk_dataset
from pipedoctor.collect.storage.datasets import dataset
from pipedoctor.collect.storage.open_files import find_files_in_use
from pipedoctor.facts import DataSet, Hang, UnreadableError, Window
from pipedoctor.facts.bench import NO_TIME_LEFT, Quality
from pipedoctor.facts.bench_disk import BenchDisk, DiskReading
from pipedoctor.runtime import lanes
from pipedoctor.runtime.probe import Announce, Outcome, Probe

HANG_SECONDS = 5.0
"""Seconds beyond its share after which a reading is given up."""
OVERTIME_SHARE = 0.07
"""Share of the budget by which the last reading may be late."""
_MIN_SECONDS = 0.4
"""Seconds that a reading needs."""
_MIN_PATIENCE = 0.5
_CLEANUP_SECONDS = 0.1
_SURVEY_SECONDS = 3.0
ReportProgress = Callable[[str], None]


@dataclass
class _WindowTally:
    windows: list[Window] = field(default_factory=list[Window])
    repeated: int = 0
    refused: int = 0
    refusal: str = ""


class DiskBench:
    """Measures how fast files of one path can be read, as far as there is time."""

    def __init__(
        self,
        path: str,
        *,
        budget: float,
        machine: Machine | None = None,
        report_progress: ReportProgress = lambda _: None,
        meter: CpuMeter | None = None,
    ) -> None:
        self._path = path
        self._machine = machine or Machine()
        self._report_progress = report_progress
        self._begin_time = time.monotonic()
        self._deadline = self._begin_time + budget
        self._hard_deadline = self._deadline + OVERTIME_SHARE * budget
        self._meter = meter or CpuMeter(self._machine)
        self._dataset = DataSet(path=path)
        self._files = ReadableFiles()
        self._readings: list[DiskReading] = []
        self._tally = _WindowTally()
        self._interrupted = False

    def run(self) -> BenchDisk:
        """
        Measure until the budget is used; Ctrl-C ends it with what is known.

        Raises UnreadableError where the path is not there or holds nothing to read.
        """
        try:
            if self._find_files():
                self._measure()
        except KeyboardInterrupt:
            self._interrupted = True
        return self.build_result()

    def build_result(self) -> BenchDisk:
        """What is known so far."""
        tally = self._tally
        cold = build_cold_read(self._readings)
        entry = msgspec.structs.replace(self._dataset, cold_read=cold) if cold else self._dataset
        return BenchDisk(
            host=read_host(self._machine),
            dataset=entry,
            readings=tuple(self._readings),
            quality=Quality(
                windows=len(tally.windows),
                repeated=tally.repeated,
                marked=find_worst_disturbance(tally.windows),
                refused=tally.refused,
                why_refused=tally.refusal,
            ),
            seconds=time.monotonic() - self._begin_time,
            interrupted=self._interrupted,
        )

    def _find_files(self) -> bool:
        """Find the files; False where the path hangs, which is then the result."""

        def look(announce: Announce) -> Any:
            known = dataset(self._machine, self._path, True, announce)
            seen = walk_dataset(Path(self._path), announce, timeout=_SURVEY_SECONDS / 2)
            small = [bytes(path) for path, size in seen.files if 0 < size <= SMALL_FILE_BYTES]
            large = [(bytes(path), size) for path, size in seen.files if size > SMALL_FILE_BYTES]
            large.sort(key=lambda item: -item[1])
            return {
                "dataset": to_encodable(known),
                "small": sample_evenly(small, MAX_SMALL_FILES),
                "large": large[:MAX_LARGE_FILES],
            }

        patience = _SURVEY_SECONDS + HANG_SECONDS
        outcome = self._run_in_child(f"look at {self._path}", look, patience)
        if outcome.hung and outcome.seconds < patience:  # the budget ended first
            path = outcome.blocked_path
            why = f"{path} does not answer; {NO_TIME_LEFT}" if path else NO_TIME_LEFT
            why += f" ({outcome.doing})"
            self._readings = [build_unknown_reading(plan, why) for plan in READING_PLANS]
            return False
        if outcome.hung:
            hang = Hang(doing=outcome.doing, seconds=round(outcome.seconds, 1))
            self._dataset = DataSet(path=self._path, hang=hang)
            return False
        if not outcome.has_value:
            raise UnreadableError(outcome.reason)
        listing = outcome.value
        self._dataset = msgspec.convert(listing["dataset"], DataSet)
        left = {k: v for k, v in self._dataset.unknown.items() if k != "cold_read"}
        self._dataset = msgspec.structs.replace(self._dataset, unknown=left)
        self._files = ReadableFiles(
            small=listing["small"], large=[(path, size) for path, size in listing["large"]]
        )
        if not self._files.small and not self._files.large:
            message = "it contains no file that is not empty"
            raise UnreadableError(message)
        return True

    def _measure(self) -> None:
        for number, plan in enumerate(READING_PLANS):
            jobs = build_jobs(plan, self._files)
            if not jobs:
                self._readings.append(build_unknown_reading(plan, MISSING_FILES[plan.pattern]))
                continue
            left = self._deadline - time.monotonic()
            if left < _MIN_SECONDS:
                self._readings.append(build_unknown_reading(plan, NO_TIME_LEFT))
                continue
            share = max(_MIN_SECONDS, left / (len(READING_PLANS) - number))
            self._readings.append(self._measure_plan(plan, jobs, share))

    def _measure_plan(self, plan: ReadingPlan, jobs: list[ReadJob], seconds: float) -> DiskReading:
        """One plan: drop the pages where it is to be cold, read, count."""
        way = ReadOptions(
            readers=plan.readers,
            seconds=seconds * 0.8,
            scattered=plan.pattern == "random",
        )

        def work(announce: Announce) -> Any:
            chosen = jobs
            if plan.cold:
                chosen = self._drop_pages(jobs, announce)
            if not chosen:
                return None
            reads = read_jobs if plan.cold else read_warm
            return reads(self._machine, chosen, way, announce)

        at = f", {plan.readers} readers" if plan.readers > 1 else ""
        name = f"{plan.pattern} {'cold' if plan.cold else 'warm'}{at}"

        def measure() -> Outcome:
            return self._run_in_child(name, work, seconds + HANG_SECONDS)

        taken = measure_quietly(measure, meter=self._meter, tries=2, until=self._deadline)
        self._tally.windows.append(taken.window)
        self._tally.repeated += taken.tries - 1
        outcome = taken.value
        if not outcome.has_value:
            return build_unknown_reading(plan, outcome.reason)
        if taken.refusal:
            self._tally.refused += 1
            self._tally.refusal = taken.refusal
            return build_unknown_reading(plan, taken.refusal)
        if not outcome.value or not outcome.value["windows"]:
            return build_unknown_reading(plan, "all its files are in use, links or unreadable")
        return build_reading(plan, outcome.value)

    def _drop_pages(self, jobs: list[ReadJob], announce: Announce) -> list[ReadJob]:
        """The jobs whose files nobody else uses, their pages dropped."""
        paths = list(dict.fromkeys(job.path for job in jobs))
        announce("look for files in use")
        absolute = {Path(_decode_path(path)).absolute(): path for path in paths}
        busy = {absolute[p] for p in find_files_in_use(self._machine, list(absolute))}
        free = set(drop_cached_pages([p for p in paths if p not in busy], announce))
        return [job for job in jobs if job.path in free]

    def _run_in_child(self, name: str, work: Callable[[Announce], Any], patience: float) -> Outcome:
        """Do it in a child that can be abandoned."""
        self._report_progress(name)
        patience = min(patience, max(_MIN_PATIENCE, self._hard_deadline - time.monotonic()))
        probe = Probe(name=name, work=work, timeout=patience)
        found = lanes.run_in_processes(
            [probe],
            until=time.monotonic() + patience + _CLEANUP_SECONDS,
            on_progress=lambda _: self._report_progress(name),
        )
        return found[name]


def _decode_path(path: bytes) -> str:
    return path.decode(errors="surrogateescape")
