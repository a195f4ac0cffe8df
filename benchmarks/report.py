"""
How much longer `report --all` takes than `check`, and what redaction costs.

Both examine the same machine and take turns. Writes docs/benchmarks/report.md.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import _environ
import _page

from pipedoctor.engine.catalogue import get_catalogue

ROUNDS = int(os.environ.get("ROUNDS", "9"))
GOAL = 0.3
"""Seconds that all formats may take beyond `check`."""

DOCTOR = (sys.executable, "-m", "pipedoctor")
CHECK = ("check", "--no-config", "--quick", "--fail-on", "never", "--format", "json")
REPORT = ("report", "--no-config", "--quick", "--force", "-o")
COMMANDS = {
    "`check --quick --format json`": (*CHECK, "-o", "check.json"),
    "`check --quick --format json --keep`": (*CHECK, "--keep", "-o", "check.json"),
    "`check --quick --format json --no-redact`": (*CHECK, "--no-redact"),
    "`report --quick -o x.json`": (*REPORT, "x.json"),
    "`report --quick -o x.md`": (*REPORT, "x.md"),
    "`report --quick -o x.html`": (*REPORT, "x.html"),
    "`report --quick --all`": (*REPORT, "x.zip"),
}


def time_run(argv: Sequence[str], folder: Path) -> float:
    """How long one run takes, by the clock on the wall."""
    environ = _environ.bytecode_environ() | {"XDG_STATE_HOME": str(folder / "state")}
    began = time.perf_counter()
    subprocess.run(
        [*DOCTOR, *argv],
        check=True,
        cwd=folder,
        env=environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return time.perf_counter() - began


def write_report_page(walls: dict[str, list[float]]) -> None:
    """Write the table, and whether the goal is met."""
    middle = {name: statistics.median(row) for name, row in walls.items()}
    first, *_, last = middle.values()
    rows = [
        f"| {name} | {wall:.3f} | {min(walls[name]):.3f} to {max(walls[name]):.3f} |"
        f" {wall - first:+.3f} |"
        for name, wall in middle.items()
    ]
    head = ("command", "median, s", "from to, s", "beyond the first, s")
    _page.write_page(
        "report.md",
        "What a report costs beyond a check",
        _page.describe_run(f"{len(get_catalogue().checks)} checks")
        + f" {ROUNDS} rounds in which all commands take turns, warm caches.",
        _page.format_table(head, rows),
        _page.format_goals({f"all formats at most {GOAL} s beyond `check`": last - first <= GOAL}),
    )


def main() -> None:
    """Measure and write the page."""
    walls: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for argv in COMMANDS.values():  # once for the caches and the .pyc files
            time_run(argv, folder)
        for _ in range(ROUNDS):
            for command, argv in COMMANDS.items():
                walls[command].append(time_run(argv, folder))
    write_report_page(walls)


if __name__ == "__main__":
    main()
