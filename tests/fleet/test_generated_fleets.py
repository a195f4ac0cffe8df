"""Made-up fleets: every fault is named with its property, and nothing else is."""

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.fleet.node_reports import judged


def found(report: object) -> dict[str, str]:
    return {one.node: one.property for one in report.outliers}  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_fault_is_named_once_and_nothing_else(
    fleets: ModuleType, folder: Path, seed: int
) -> None:
    truth = fleets.write_fleet(folder, 600, seed=seed, packages_each=70)

    report = judged(folder)

    assert len(report.outliers) == len(truth) == fleets.FAULTY_NODES
    assert found(report) == truth
    assert len(set(truth.values())) == len(fleets.FAULTS)


@pytest.mark.slow
@pytest.mark.parametrize("count", [100, 200, 600])
def test_a_healthy_fleet_has_no_outlier(fleets: ModuleType, folder: Path, count: int) -> None:
    fleets.write_fleet(folder, count, seed=7, ill=0, packages_each=70)

    report = judged(folder)

    assert report.outliers == ()
    assert len(report.nodes) == count
    assert report.summary.fit == count


def test_groups_are_those_of_the_hardware(fleets: ModuleType, folder: Path) -> None:
    fleets.write_fleet(folder, 200, packages_each=70)

    groups = {one.group: one.nodes for one in judged(folder).groups}

    assert groups == {
        "8 x NVIDIA H100 80GB HBM3": 110,
        "8 x NVIDIA A100-SXM4-40GB": 60,
        "no GPU": 30,
    }


MEASURED = """
import json, resource, sys
from pipedoctor.cli import main
try:
    main(["fleet", "show", sys.argv[1], "--format", "json", "-o", sys.argv[2]])
except SystemExit as end:
    assert end.code in {0, 1}, end
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss << 10]))
"""


@pytest.mark.cluster
def test_ten_thousand_reports(fleets: ModuleType, tmp_path: Path) -> None:
    """Within 8 s and 300 MB, nothing lost, and at most 11 times as long as 1,000."""
    seconds: dict[int, float] = {}
    for count in (1000, 10_000):
        folder, answer = tmp_path / str(count), tmp_path / f"{count}.out"
        truth = fleets.write_fleet(folder, count)
        line = [sys.executable, "-c", MEASURED, str(folder), str(answer)]
        done = subprocess.run(line, capture_output=True, check=True)
        seconds[count], size = json.loads(done.stdout)
        shown = json.loads(answer.read_bytes())
        assert {o["node"]: o["property"] for o in shown["outliers"]} == truth
        assert len(shown["nodes"]) == count
        assert size <= 300 << 20

    assert seconds[10_000] <= 8
    assert seconds[10_000] <= 11 * seconds[1000]
