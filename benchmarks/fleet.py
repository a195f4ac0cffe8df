"""
How long it takes to judge fleets of 1,000 to 100,000 nodes, and what is found.

Up to 10,000 reports lie in a folder; beyond, the same ones come again under the names
of other nodes, from memory. Each fleet is judged in a process of its own. Writes
docs/benchmarks/fleet.md.
"""

import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _fleets
import _page
import msgspec

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.fleet.folder import LocalFolder
from pipedoctor.fleet.ingest import ingest_reports
from pipedoctor.fleet.judge import judge_fleet

if TYPE_CHECKING:
    from pipedoctor.fleet.read_ahead import Folder

IN_FOLDER = (1_000, 10_000)
SIMULATED_COUNTS = (30_000, 100_000)
GOAL_SECONDS, GOAL_MIB, GOAL_GROWTH = 8.0, 300, 11.0


class SimulatedFolder:
    """The reports of a folder again and again, each time of other nodes."""

    def __init__(self, folder: LocalFolder, count: int) -> None:
        self._folder, self._count = folder, count
        self._names = folder.list_names()
        self.path = folder.path

    def list_names(self) -> list[str]:
        """As many as are asked for."""
        size = len(self._names)
        return [f"{at // size}|{self._names[at % size]}" for at in range(self._count)]

    def measure_size(self, name: str) -> int:
        """As large as the one that it is a copy of."""
        return self._folder.measure_size(name.partition("|")[2])

    def read_report(self, name: str) -> bytes:
        """A report under another name of its node."""
        copy, _, file = name.partition("|")
        node = file.partition("--")[0].encode()
        data = self._folder.read_report(file)
        return data.replace(b'"%s"' % node, b'"r%s-%s"' % (copy.encode(), node), 1)


def measure_fleet(path: str, count: int) -> dict[str, Any]:
    """Judge so many nodes here; seconds, memory and what stands out."""
    folder: Folder = LocalFolder(path)
    if count > len(folder.list_names()):
        folder = SimulatedFolder(LocalFolder(path), count)
    began, cpu = time.monotonic(), time.process_time()
    report = judge_fleet(get_catalogue(), ingest_reports([("", folder)]), began=began)
    return {
        "nodes": len(report.nodes),
        "files": len(folder.list_names()),
        "wall": time.monotonic() - began,
        "cpu": time.process_time() - cpu,
        "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        "found": {one.node: one.property for one in report.outliers},
    }


def measure_separately(path: str, count: int) -> dict[str, Any]:
    """The same in a process of its own."""
    line = [sys.executable, __file__, path, str(count)]
    done = subprocess.run(line, check=True, capture_output=True)
    result: dict[str, Any] = msgspec.json.decode(done.stdout)
    return result


def build_rows(folder: Path) -> tuple[list[tuple[object, ...]], dict[str, bool], float]:
    """A row for each fleet, what came of each goal, and the law of growth."""
    table: list[tuple[object, ...]] = []
    cpu: dict[int, float] = {}
    results: dict[str, bool] = {}
    for count in (*IN_FOLDER, *SIMULATED_COUNTS):
        real = count in IN_FOLDER
        place = folder / str(min(count, IN_FOLDER[-1]))
        truth = {}
        if real:
            truth = _fleets.write_fleet(place, count)
        measured = measure_separately(str(place), count)
        cpu[count] = measured["cpu"]
        named = sum(measured["found"].get(node) == fault for node, fault in truth.items())
        false = len(set(measured["found"]) - set(truth)) if real else ""
        table.append(
            (
                f"{count:,}{'' if real else ', simulated'}",
                f"{measured['wall']:.1f}",
                f"{measured['cpu']:.1f}",
                measured["mib"],
                f"{named} of {len(truth)}" if real else "",
                false,
            )
        )
        if count == IN_FOLDER[-1]:
            results = list_goals(measured, named == len(truth) and not false, cpu)
    power = math.log(cpu[SIMULATED_COUNTS[-1]] / cpu[IN_FOLDER[0]]) / math.log(100)
    return table, results, power


def list_goals(measured: dict[str, Any], right: bool, cpu: dict[int, float]) -> dict[str, bool]:
    """What was promised of 10,000 reports, and whether it holds."""
    growth = cpu[IN_FOLDER[-1]] / cpu[IN_FOLDER[0]]
    return {
        f"10,000 reports within {GOAL_SECONDS:g} s of CPU": measured["cpu"] <= GOAL_SECONDS,
        f"within {GOAL_MIB} MiB": measured["mib"] <= GOAL_MIB,
        f"growth from 1,000 at most 11 times ({growth:.1f})": growth <= GOAL_GROWTH,
        "every fault named with its property, and nothing else": right,
        "no file lost": measured["nodes"] == measured["files"],
    }


def main() -> None:
    """Measure, and write the page."""
    with tempfile.TemporaryDirectory() as folder:
        table, results, power = build_rows(Path(folder))
    head = ("nodes", "wall, s", "CPU, s", "peak MiB", "faults named", "false")
    law = f"Seconds of CPU grow with nodes to the power of {power:.2f}."
    what = " Reports of 120 kB, 20 kinds of faults on 30 nodes, rolling updates."
    lines = [f"| {' | '.join(map(str, row))} |" for row in table]
    page = (
        _page.describe_run() + what,
        _page.format_table(head, lines),
        _page.format_goals(results),
        law,
    )
    _page.write_page("fleet.md", "How long a fleet takes", *page)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.stdout.write(json.dumps(measure_fleet(sys.argv[1], int(sys.argv[2]))))
    else:
        main()
