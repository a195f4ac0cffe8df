"""Recall and precision of the checks of code on lines that people have labelled."""

import csv
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

USAGE = "labels.py LABELS.csv FOLDER: repositories lie in FOLDER by the name of each"


def run_check(folder: Path) -> list[dict[str, Any]]:
    """What is found in one repository."""
    argv = (sys.executable, "-m", "pipedoctor", "check", ".")
    more = ("--select", "PDR1,PDR2,PDR3,PDR4,PDR5,PDR6", "--format", "json")
    done = subprocess.run(
        (*argv, *more, "--fail-on", "never"),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    report: dict[str, Any] = json.loads(done.stdout)
    found: list[dict[str, Any]] = report["findings"]
    return found


def finding_places(finding: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Path, first and last line of each place that a finding names."""
    every = [finding.get("location"), *(finding.get("also_at") or ())]
    return [(one["path"], one["line"], one.get("end_line") or one["line"]) for one in every if one]


def main(labels_file: str, folder: str) -> None:
    """Count, and name what is missed and what is false."""
    count: Counter[str] = Counter()
    known: dict[str, list[dict[str, Any]]] = {}
    for row in csv.DictReader(Path(labels_file).read_text().splitlines()):
        name = row["repo"].rpartition("/")[2]
        if not (Path(folder) / name).is_dir():
            continue
        if name not in known:
            known[name] = run_check(Path(folder) / name)
        hit = any(
            finding["code"] == row["hazard"]
            and any(
                path == row["path"] and first <= int(row["line"]) <= last
                for path, first, last in finding_places(finding)
            )
            for finding in known[name]
        )
        kind = f"{row['label']}, {'found' if hit else 'silent'}"
        count[kind] += 1
        if kind in {"true, silent", "false, found"}:
            print(f"{kind}: {name}/{row['path']}:{row['line']} {row['hazard']}")
    found, missed = count["true, found"], count["true, silent"]
    wrong = count["false, found"]
    print(f"recall {found}/{found + missed}, precision {found}/{found + wrong}")


if __name__ == "__main__":
    main(*sys.argv[1:3]) if len(sys.argv) > 2 else sys.exit(USAGE)  # noqa: PLR2004
