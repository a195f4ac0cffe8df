"""What a recording of a real GPU takes from, or puts on, the pages of checks."""

import importlib.util
import json
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pipedoctor.check.gpu_evidence import NOT_SEEN, GpuEvidence, describe_evidence, read_evidence
from pipedoctor.check.page import render_page
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.pipeline import CheckPolicy, judge_record
from pipedoctor.report.model import Report

ROOT = Path(__file__).parents[2]
H100 = "NVIDIA H100 (driver 580.1, 2026-12-01)"
MACHINES = ROOT / "tests" / "machines"
CHECKS = [check for check in get_catalogue().checks.values() if check.pack == "pipedoctor"]
NAMED = {check.name: check for check in CHECKS}


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gpu_rec", ROOT / "tools/gpu_recordings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


recordings = load()


def record(folder: Path, file: str = "nvidia-h100.json", **stamp: Any) -> None:
    """A report as `sh dev.sh gpu` leaves it."""
    on = {"name": "NVIDIA H100", "driver": "580.1", "date": "2026-12-01", "dry_run": False}
    report = {
        "schema": "pipedoctor.report/1",
        "healthy": ["PDR810", "PDR701", "PDR811"],
        "findings": [{"code": "PDR812", "name": "gpu-persistence-off"}],
        "recorded_on": {**on, **stamp},
    }
    (folder / file).write_text(json.dumps(report))


def collect(folder: Path) -> GpuEvidence:
    found: GpuEvidence = recordings.collect_evidence(folder, CHECKS)
    return found


def test_the_installed_table_is_that_of_the_recordings() -> None:
    assert read_evidence() == collect(MACHINES)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (
            "gpu-hidden-by-environment",
            f"Seen on a real GPU: {H100}, faults: it is empty.",
        ),
        (
            "gpu-persistence-off",
            f"Seen on a real GPU: {H100}, found there.",
        ),
        (
            "gpu-throttled",
            f"Seen on a real GPU only where it finds nothing: {H100}.",
        ),
        ("gpu-hardware-fault", NOT_SEEN),
        ("shm-too-small", NOT_SEEN),
        ("fd-limit-exhausted", ""),
    ],
)
def test_a_recording_backs_what_came_true_on_it(tmp_path: Path, name: str, line: str) -> None:
    record(tmp_path, seen={"gpu-hidden-by-environment": "faults: it is empty", "no-such": "x"})

    evidence = collect(tmp_path)

    assert describe_evidence(NAMED[name], evidence) == line
    page = render_page(NAMED[name], evidence).splitlines()
    assert not line or page[page.index(line) - 1] == page[page.index(line) + 1] == ""
    assert sum("a real GPU" in row for row in page) == bool(line)


@pytest.mark.parametrize("stamp", [{"dry_run": True}, {"name": ""}])
def test_a_dry_run_backs_nothing(tmp_path: Path, stamp: dict[str, Any]) -> None:
    record(tmp_path, seen={"gpu-hidden-by-environment": "faults"}, **stamp)

    assert collect(tmp_path) == GpuEvidence()


def test_the_latest_recording_counts(tmp_path: Path) -> None:
    record(tmp_path, "a.json", name="NVIDIA H200", date="2027-01-01")
    record(tmp_path, "b.json")

    assert collect(tmp_path).silent["gpu-throttled"].startswith("NVIDIA H200")


def test_of_checks_by_others_nothing_is_said() -> None:
    other = replace(NAMED["gpu-throttled"], pack="acme")

    assert describe_evidence(other, GpuEvidence()) == ""


def list_differences(file: Path) -> set[tuple[str, str]]:
    """Findings that only the recording has, or only its judgement of today."""
    report = json.loads(file.read_text("utf-8"))
    found = judge_record(get_catalogue(), file.read_bytes(), None, CheckPolicy()).findings
    expected = {(f["name"], f["severity"]) for f in report.get("findings", ())}
    return expected ^ {(finding.name, str(finding.severity)) for finding in found}


def test_a_recording_that_is_judged_otherwise_today_is_noticed(
    tmp_path: Path, container: Report
) -> None:
    report = json.loads((MACHINES / "container.json").read_bytes())
    report["findings"] = [{"name": f.name, "severity": str(f.severity)} for f in container.findings]
    file = tmp_path / "nvidia-h100.json"
    file.write_text(json.dumps(report))
    assert list_differences(file) == set()

    lost = report["findings"].pop()
    file.write_text(json.dumps(report))
    assert list_differences(file) == {(lost["name"], lost["severity"])}


def test_every_recorded_gpu_gives_its_findings_again() -> None:
    recorded = [f for f in MACHINES.glob("*.json") if recordings.STAMP in json.loads(f.read_text())]

    assert {file.name: list_differences(file) for file in recorded} == {
        file.name: set() for file in recorded
    }
