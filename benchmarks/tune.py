"""
PipeBench: loaders with a known cause; `tune` and `whatif` against the whole grid.

    python benchmarks/tune.py                    what is missing, then the page
    python benchmarks/tune.py --only NAME        some workloads, without the page
    python benchmarks/tune.py --list             their names

Run it on an idle machine. What was measured is kept in `--results`, part by part, so
that it can be interrupted; `--again PART` measures one part of it again. `--loadtune
PYTHON` names an interpreter that has loadtune beside the same torch.
"""

import argparse
import importlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from _held import measure_resources
from _loop import (
    MORE,
    ROUNDS,
    LoaderArguments,
    WorkloadLoop,
    grid_settings,
    loader_arguments,
    median_of_windows,
    windows_differ,
)
from _page import PAGES
from _quota import limit_cpus
from _truth import BEFORE
from _tune_page import render_tune_page
from _tuned import predict_rates, predict_resources, run_probe, run_tune, time_predictions

HERE = Path(__file__).resolve().parent
WORKLOADS = HERE.parent / "tests/tune/workloads/labelled.py"
SECONDS = 0.8
"""Of a window."""
_AGAIN = 3
"""Runs of what others disturb."""
HELD = ((4, 2), (8, 4))
"""Workers and prefetch_factor of settings whose memory is looked at."""
NAMES = (
    "io_latency",
    "io_latency_many",
    "io_bandwidth",
    "decode_cpu",
    "decode_json",
    "transform_cpu",
    "blas_spin",
    "many_objects",
    "many_bytes",
    "stragglers",
    "transform_main",
    "quota",
    "allocator",
    "startup",
    "consumer",
    "consumer_workers",
    "heavy_tail",
    "one_lock",
    "collate_cpu",
    "stream_decode",
)


PARTS = ("grid", "whatif", "tune", "held", "loadtune")


Measurements = dict[str, Any]
"""What was measured, as it is kept."""


@dataclass(frozen=True, kw_only=True)
class Workload:
    """One loader: how it is made, used and labelled."""

    name: str
    label: str
    options: tuple[str, ...]
    cpus: float | None
    loop: WorkloadLoop

    @property
    def target(self) -> str:
        """As `tune` takes it."""
        return f"{WORKLOADS}:{self.name}"

    @property
    def seconds(self) -> float:
        """Windows are longer where few samples decide."""
        return SECONDS * (2 if self.label == "stragglers" else 1)


Measure = Callable[[Workload, Measurements], Measurements]


class MeasuredPart(NamedTuple):
    """What is kept under a name; of a grid: with how many windows of each setting."""

    name: str
    measure: Measure
    rounds: int = 0

    def is_missing(self, row: Measurements) -> bool:
        """Is there more to measure?"""
        if self.name not in row or not self.rounds:
            return self.name not in row
        return any(_needs_window(cell, self.rounds) for cell in row[self.name]["cells"])


def load_workload(name: str) -> Workload:
    """A labelled loader of the tests."""
    sys.path.insert(0, str(WORKLOADS.parent))
    module = importlib.import_module("labelled")
    label, options = module.LABELS[name]
    loop = WorkloadLoop(
        getattr(module, name),
        _make_step(module, options),
        epochs=label == "worker-startup",
    )
    return Workload(
        name=name,
        label=label,
        options=options,
        cpus=module.QUOTAS.get(name),
        loop=loop,
    )


def _make_step(module: Any, options: tuple[str, ...]) -> Callable[[Any], Any]:
    """The step that the options describe."""
    if "--step-seconds" in options:
        pause = float(options[1])
        return lambda _: time.sleep(pause)
    if "--step" in options:
        step: Callable[[Any], Any] = getattr(module, options[1].rpartition(":")[2])
        return step
    return lambda _: None


def make_grid_measure(rounds: int) -> Measure:
    """One more window of every cell of the grid that needs it, by the plain loop."""

    def measure(one: Workload, found: Measurements) -> Measurements:
        begin = time.perf_counter()
        fresh = [{**cell, "windows": []} for cell in grid_settings(one.label)]
        kept: Measurements = found.get("grid", {"cells": fresh, "seconds": 0.0})
        for cell in kept["cells"]:
            if _needs_window(cell, rounds):
                cell["windows"].append(
                    one.loop.measure_rate(_strip_measurements(cell), one.seconds)
                )
                cell["rate"] = median_of_windows(cell["windows"])
        spent = kept["seconds"] + time.perf_counter() - begin
        return {**kept, "label": one.label, "seconds": spent}

    return measure


def _needs_window(cell: Measurements, rounds: int) -> bool:
    """Does this cell need another window?"""
    windows: list[float] = cell["windows"]
    return len(windows) < min(rounds, MORE if windows and windows_differ(windows) else ROUNDS)


def measure_tune(one: Workload, found: Measurements) -> Measurements:
    """What `tune` says, and how fast that and its rivals are, in turns."""
    said = _run_undisturbed(lambda: run_tune(one.target, one.options))
    best = _strip_measurements(max(found["grid"]["cells"], key=lambda cell: float(cell["rate"])))
    wanted = {"chosen": said["chosen"], "best": best, "start": said["current"]}
    windows: dict[str, list[float]] = {name: [] for name in wanted}
    for _ in range(3):
        for name, cell in wanted.items():
            windows[name].append(one.loop.measure_rate(cell, one.seconds))
    return {**said, "windows": windows}


def measure_whatif(one: Workload, found: Measurements) -> Measurements:
    """What the model is probed with; its predictions are made for the page."""
    after = min(len(cell["windows"]) for cell in found["grid"]["cells"])
    return _run_undisturbed(lambda: run_probe(one.target, one.options)) | {"after": after}


def _run_undisturbed(measure: Callable[[], Measurements]) -> Measurements:
    """The first of some runs that others did not disturb, or the least disturbed."""
    found: list[Measurements] = []
    for _ in range(_AGAIN):
        found.append(measure())
        if not found[-1]["disturbed"]:
            break
    return min(found, key=lambda one: int(one["disturbed"]))


def measure_held(one: Workload, _: Measurements) -> Measurements:
    """Measure the resources that some settings hold."""
    cells = [loader_arguments(workers, prefetch) for workers, prefetch in HELD]
    return {"really": [{**cell, **measure_resources(one.loop, cell)} for cell in cells]}


def make_loadtune_measure(python: str) -> Measure:
    """Make the measurement of what loadtune recommends and how fast that is."""

    def measure(one: Workload, _: Measurements) -> Measurements:
        argv = [python, str(HERE / "_loadtune.py"), one.target, *one.options[1:]]
        argv += [] if one.options else [""]
        ended = subprocess.run(argv, check=False, capture_output=True, text=True)
        if ended.returncode:
            last = ended.stderr.strip().splitlines()[-1:]
            return {"failed": " ".join(last)}
        said: Measurements = json.loads(ended.stdout.splitlines()[-1])
        cell = loader_arguments(
            said["num_workers"],
            said["prefetch_factor"],
            persistent=said["persistent_workers"],
        )
        windows = [one.loop.measure_rate(cell, one.seconds) for _ in range(2)]
        return {**said, "cell": cell, "windows": windows}

    return measure


def add_predictions(name: str, row: Measurements) -> None:
    """Add to a row what the present model predicts from its run_probe."""
    facts = row["whatif"]["facts"]
    cells = [_strip_measurements(cell) for cell in row["grid"]["cells"]]
    epochs = load_workload(name).loop.epochs
    row["whatif"]["cells"] = predict_rates(facts, cells, epochs=epochs)
    row["whatif"]["speed"] = time_predictions(facts)
    if "held" in row:
        cells = [loader_arguments(workers, prefetch) for workers, prefetch in HELD]
        row["held"]["promised"] = predict_resources(facts, cells)


def _strip_measurements(cell: Measurements) -> LoaderArguments:
    return {key: value for key, value in cell.items() if key not in {"windows", "rate"}}


def main() -> None:
    """Measure what is asked for, keep it, and write the page."""
    asked = _parse_arguments()
    if asked.list:
        print(*NAMES, sep="\n")
        return
    parts = [
        MeasuredPart("grid", make_grid_measure(BEFORE), BEFORE),
        MeasuredPart("whatif", measure_whatif),
        MeasuredPart("grid", make_grid_measure(MORE), MORE),
        MeasuredPart("tune", measure_tune),
        MeasuredPart("held", measure_held),
    ]
    if asked.loadtune:
        parts.append(MeasuredPart("loadtune", make_loadtune_measure(asked.loadtune)))
    rows = json.loads(asked.results.read_text()) if asked.results.exists() else {}
    for name in asked.only or () if asked.page else asked.only or NAMES:
        for part in asked.again or ():
            rows.get(name, {}).pop(part, None)
        one, row = load_workload(name), rows.setdefault(name, {})
        for part in parts:
            while part.is_missing(row):
                with limit_cpus(one.cpus) as bound:
                    row[part.name] = part.measure(one, row) | {"bound": bound}
                asked.results.parent.mkdir(parents=True, exist_ok=True)
                asked.results.write_text(json.dumps(rows))
    if asked.page or not asked.only:
        found = {name: rows[name] for name in NAMES if "whatif" in rows.get(name, {})}
        missing = [name for name in NAMES if name not in found]
        for name, row in found.items():
            add_predictions(name, row)
        (PAGES / "tune.md").write_text(render_tune_page(found, missing), "utf-8")


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    kept = HERE.parent / "build/tune.json"
    parser.add_argument("--only", action="append", choices=NAMES, metavar="NAME")
    parser.add_argument("--results", type=Path, default=kept, metavar="FILE")
    parser.add_argument("--again", action="append", choices=PARTS, metavar="PART")
    parser.add_argument("--loadtune", metavar="PYTHON")
    parser.add_argument("--page", action="store_true", help="only write the page")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
