"""What the recordings in tests/machines back: the table for the pages of checks."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from pipedoctor.check import Check
from pipedoctor.check.gpu_evidence import GpuEvidence, Recording
from pipedoctor.facts import Accelerators, Gpu

STAMP = "recorded_on"
GPU_FACTS = (Gpu, Accelerators)
"""Only a check that reads one of these says something of GPUs by being silent."""


def read_recordings(folder: Path) -> Iterator[tuple[Recording, dict[str, Any]]]:
    """Reports of real GPUs there, the oldest first; those of dry runs back nothing."""
    found: list[tuple[Recording, dict[str, Any]]] = []
    for file in sorted(folder.glob("*.json")):
        report = json.loads(file.read_text("utf-8"))
        if isinstance(report, dict) and STAMP in report:
            recording = msgspec.convert(report[STAMP], Recording)
            if recording.name and not recording.dry_run:
                found.append((recording, report))
    yield from sorted(found, key=lambda pair: (pair[0].date, pair[0].name))


def collect_evidence(folder: Path, checks: Iterable[Check[Any]]) -> GpuEvidence:
    """Of several recordings the latest counts."""
    by_code = {check.code: check for check in checks}
    names = {check.name for check in by_code.values()}
    seen: dict[str, str] = {}
    silent: dict[str, str] = {}
    for recording, report in read_recordings(folder):
        for name, trial in recording.seen.items():
            if name in names:
                seen[name] = f"{recording.label}, {trial}"
        for finding in report.get("findings", ()):
            if is_about_gpus(by_code.get(finding["code"])):
                seen[finding["name"]] = f"{recording.label}, found there"
        for code in report.get("healthy", ()):
            if is_about_gpus(by_code.get(code)):
                silent[by_code[code].name] = recording.label
    return GpuEvidence(seen=seen, silent={n: how for n, how in silent.items() if n not in seen})


def is_about_gpus(check: Check[Any] | None) -> bool:
    """Does it judge facts of GPUs?"""
    return check is not None and any(issubclass(kind, GPU_FACTS) for kind in check.needs)


def render_evidence(evidence: GpuEvidence) -> str:
    """The table as its file has it."""
    return json.dumps(msgspec.to_builtins(evidence), indent=2, sort_keys=True) + "\n"
