"""How soon two reports of 2,000 packages each are compared, from start to end."""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import _environ
import _page
import msgspec

ROOT = Path(__file__).parents[1]
MACHINE = ROOT / "tests" / "machines" / "container.json"
PROMISED = 0.3
"""Seconds for two reports of 2,000 packages."""
FORMATS = ("text", "json", "markdown", "html")


def write_report(path: Path, packages: int, seed: int) -> None:
    """Write a report whose every tenth package depends on the seed, places too."""
    record: dict[str, Any] = msgspec.json.decode(MACHINE.read_bytes())
    odd = dict.fromkeys(range(0, packages, 10), seed)
    site = f"/home/user{seed}/venv/lib/python3.12/site-packages"
    record["facts"]["known"]["packages"] = {
        "entries": [
            {
                "name": f"package-{number}",
                "version": f"{number % 7}.{odd.get(number, 1)}.{number % 3}",
                "location": site,
                "installer": "pip",
            }
            for number in range(packages)
        ]
    }
    record["facts"]["known"]["interpreter"] = {"version": "3.12.1", "prefix": site[:20]}
    path.write_bytes(msgspec.json.encode(record))


def time_command(argv: list[str], rounds: int) -> list[float]:
    """Seconds of each round of a command that has to succeed."""
    walls: list[float] = []
    env = _environ.bytecode_environ()
    for _ in range(rounds + 1):
        began = time.perf_counter()
        done = subprocess.run(argv, capture_output=True, check=False, env=env)
        walls.append(time.perf_counter() - began)
        if done.returncode not in {0, 1}:
            raise SystemExit(done.stderr.decode())
    return walls[1:]  # the first compiles what was just installed


def measure_commands(folder: Path, rounds: int) -> list[tuple[str, list[float]]]:
    """What was measured, by its command."""
    program = [sys.executable, "-m", "pipedoctor"]
    found: list[tuple[str, list[float]]] = []
    for packages in (200, 2000):
        files = [folder / f"{name}{packages}.json" for name in "abc"]
        for seed, file in enumerate(files, 1):
            write_report(file, packages, seed)
        pair = [str(file) for file in files[:2]]
        forms = FORMATS if packages == 2000 else ("text",)  # noqa: PLR2004
        for form in forms:
            walls = time_command([*program, "diff", *pair, "--format", form], rounds)
            found.append((f"`diff A B --format {form}`, {packages} packages", walls))
    walls = time_command([*program, "diff", *map(str, files)], rounds)
    found.append(("`diff A B C`, 2000 packages", walls))
    check = time_command([*program, "check", "--from", pair[0]], rounds)
    found.append(("`check --from A`, 2000 packages", check))
    found.append(("`pipedoctor --help`", time_command([*program, "--help"], rounds)))
    return found


def write_diff_page(measurements: list[tuple[str, list[float]]], rounds: int) -> None:
    """Write the table, and whether the promise is kept."""
    about = (
        f" {rounds} rounds, compiled and with warm caches. Of 2,000 packages 200 differ"
        " in version and all in place; from the start of the process to its end."
    )
    lines = [
        f"| {name} | {statistics.median(walls):.3f} | {min(walls):.3f} to {max(walls):.3f} |"
        for name, walls in measurements
    ]
    slowest = max(
        statistics.median(walls) for name, walls in measurements if "A B --format" in name
    )
    promise = f"two reports of 2,000 packages in {PROMISED} s, any format"
    _page.write_page(
        "diff.md",
        "How soon two machines are compared",
        _page.describe_run() + about,
        _page.format_table(("command", "median, s", "from to, s"), lines),
        _page.format_goals({promise: slowest <= PROMISED}),
    )


def main() -> None:
    """Write the page; `--rounds` says how often each command runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds: int = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        write_diff_page(measure_commands(Path(name), rounds), rounds)


if __name__ == "__main__":
    main()
