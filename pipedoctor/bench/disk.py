"""`bench disk`: what storage and page cache give, in the ways that loaders read."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from pipedoctor.bench.disk_plan import (
    MISSING,
    MOST_FILES,
    MOST_LARGE,
    PLANS,
    SMALL,
    Files,
    Plan,
    as_cold_read,
    jobs_of,
    made,
    some,
    unknown,
)
from pipedoctor.bench.host import host
from pipedoctor.bench.reading import Job, Way, drop, read, warmed
from pipedoctor.bench.steady import steady, worst
from pipedoctor.bench.window import Meter
from pipedoctor.collect import lanes
from pipedoctor.collect.datasets import dataset
from pipedoctor.collect.inuse import in_use
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.plain import plain
from pipedoctor.collect.probe import Announce, Outcome, Probe
from pipedoctor.collect.sample import walk
from pipedoctor.facts import DataSet, Hang, Unreadable, Window
from pipedoctor.facts.bench import Quality
from pipedoctor.facts.bench_disk import BenchDisk, DiskReading

HANGS = 5.0
"""Seconds beyond its share after which a reading is given up."""
BEYOND = 0.07
"""Share of the budget by which the last reading may be late."""
_LEAST = 0.4
"""Seconds that a reading needs."""
_SHORTEST = 0.5
_BURIAL = 0.1
_SURVEY = 3.0
LATE = "no time left in the budget"
Tell = Callable[[str], None]


@dataclass
class _Tally:
    windows: list[Window] = field(default_factory=list[Window])
    repeated: int = 0
    refused: int = 0
    why: str = ""


class Bench:
    """The measurement as far as it has come."""

    def __init__(
        self,
        path: str,
        *,
        budget: float,
        machine: Machine | None = None,
        tell: Tell = lambda _: None,
        meter: Meter | None = None,
    ) -> None:
        self._path = path
        self._machine = machine or Machine()
        self._tell = tell
        self._began = time.monotonic()
        self._until = self._began + budget
        self._end = self._until + BEYOND * budget
        self._meter = meter or Meter(self._machine)
        self._dataset = DataSet(path=path)
        self._files = Files()
        self._readings: list[DiskReading] = []
        self._tally = _Tally()
        self._interrupted = False

    def run(self) -> BenchDisk:
        """
        Measure until the budget is used; Ctrl-C ends it with what is known.

        Raises Unreadable where the path is not there or holds nothing to read.
        """
        try:
            if self._survey():
                self._measure()
        except KeyboardInterrupt:
            self._interrupted = True
        return self.result()

    def result(self) -> BenchDisk:
        """What is known so far."""
        tally = self._tally
        cold = as_cold_read(self._readings)
        known = (
            msgspec.structs.replace(self._dataset, cold_read=cold)
            if cold
            else self._dataset
        )
        return BenchDisk(
            host=host(self._machine),
            dataset=known,
            readings=tuple(self._readings),
            quality=Quality(
                windows=len(tally.windows),
                repeated=tally.repeated,
                marked=worst(tally.windows),
                refused=tally.refused,
                why_refused=tally.why,
            ),
            seconds=time.monotonic() - self._began,
            interrupted=self._interrupted,
        )

    def _survey(self) -> bool:
        """Find the files; False where the path hangs, which is then the result."""

        def look(announce: Announce) -> Any:
            known = dataset(self._machine, self._path, True, announce)
            seen = walk(Path(self._path), announce, patience=_SURVEY / 2)
            small = [bytes(path) for path, size in seen.files if 0 < size <= SMALL]
            large = [(bytes(path), size) for path, size in seen.files if size > SMALL]
            large.sort(key=lambda item: -item[1])
            return {
                "dataset": plain(known),
                "small": some(small, MOST_FILES),
                "large": large[:MOST_LARGE],
            }

        patience = _SURVEY + HANGS
        outcome = self._lane(f"look at {self._path}", look, patience)
        if outcome.hung and outcome.seconds < patience:  # the budget ended first
            why = f"{LATE} ({outcome.doing})"
            self._readings = [unknown(plan, why) for plan in PLANS]
            return False
        if outcome.hung:
            hang = Hang(doing=outcome.doing, seconds=round(outcome.seconds, 1))
            self._dataset = DataSet(path=self._path, hang=hang)
            return False
        if not outcome.known:
            raise Unreadable(outcome.reason)
        found = outcome.value
        self._dataset = msgspec.convert(found["dataset"], DataSet)
        left = {k: v for k, v in self._dataset.unknown.items() if k != "cold_read"}
        self._dataset = msgspec.structs.replace(self._dataset, unknown=left)
        self._files = Files(
            small=found["small"], large=[(path, size) for path, size in found["large"]]
        )
        if not self._files.small and not self._files.large:
            message = "there is no file with content in it"
            raise Unreadable(message)
        return True

    def _measure(self) -> None:
        for number, plan in enumerate(PLANS):
            jobs = jobs_of(plan, self._files)
            if not jobs:
                self._readings.append(unknown(plan, MISSING[plan.pattern]))
                continue
            left = self._until - time.monotonic()
            if left < _LEAST:
                self._readings.append(unknown(plan, LATE))
                continue
            share = max(_LEAST, left / (len(PLANS) - number))
            self._readings.append(self._reading(plan, jobs, share))

    def _reading(self, plan: Plan, jobs: list[Job], seconds: float) -> DiskReading:
        """One plan: drop the pages where it is to be cold, read, count."""
        way = Way(
            readers=plan.readers,
            seconds=seconds * 0.8,
            scattered=plan.pattern == "random",
        )

        def work(announce: Announce) -> Any:
            chosen = jobs
            if plan.cold:
                chosen = self._dropped(jobs, announce)
            if not chosen:
                return None
            reads = read if plan.cold else warmed
            return reads(self._machine, chosen, way, announce)

        at = f", {plan.readers} readers" if plan.readers > 1 else ""
        name = f"{plan.pattern} {'cold' if plan.cold else 'warm'}{at}"

        def measure() -> Outcome:
            return self._lane(name, work, seconds + HANGS)

        taken = steady(measure, meter=self._meter, tries=2, until=self._until)
        self._tally.windows.append(taken.window)
        self._tally.repeated += taken.tries - 1
        outcome = taken.value
        if not outcome.known:
            return unknown(plan, outcome.reason)
        if taken.refused:
            self._tally.refused += 1
            self._tally.why = taken.refused
            return unknown(plan, taken.refused)
        if not outcome.value or not outcome.value["windows"]:
            return unknown(plan, "its files are in use, linked or not readable")
        return made(plan, outcome.value)

    def _dropped(self, jobs: list[Job], announce: Announce) -> list[Job]:
        """The jobs whose files nobody else uses, their pages dropped."""
        paths = list(dict.fromkeys(job.path for job in jobs))
        announce("look for files in use")
        absolute = {Path(_text(path)).absolute(): path for path in paths}
        busy = {absolute[p] for p in in_use(self._machine, list(absolute))}
        free = set(drop([p for p in paths if p not in busy], announce))
        return [job for job in jobs if job.path in free]

    def _lane(
        self, name: str, work: Callable[[Announce], Any], patience: float
    ) -> Outcome:
        """Do it in a child that can be abandoned."""
        self._tell(name)
        patience = min(patience, max(_SHORTEST, self._end - time.monotonic()))
        probe = Probe(name=name, work=work, patience=patience)
        found = lanes.run(
            [probe],
            until=time.monotonic() + patience + _BURIAL,
            watch=lambda _: self._tell(name),
        )
        return found[name]


def _text(path: bytes) -> str:
    return path.decode(errors="surrogateescape")
