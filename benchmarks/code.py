"""
How long reading code takes, and how much memory: beside `ast.parse`, TorchFix and ruff.

    python benchmarks/code.py FOLDER

Every command is a process of its own, in turns; medians of wall time, and the peak of
resident memory of the largest of its processes. TorchFix is too slow for everything: it
gets some folders of FOLDER, and is compared by lines per second. It is installed from
the package index into an environment that is thrown away. Writes
docs/benchmarks/code.md.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import _environ
import _page

ROUNDS = int(os.environ.get("ROUNDS", "3"))
AGAIN = 5
"""How often the short commands run in a round."""
SHORT = ("warm", "one file of 500 lines")
SAMPLE = int(os.environ.get("SAMPLE", "15000"))
"""Lines that TorchFix gets."""
COLD_GOAL, WARM_GOAL, FILE_GOAL, MEMORY_GOAL = 4, 0.25, 0.25, 500 << 20
PARSE = """
import ast, sys, warnings
warnings.simplefilter("ignore")
for name in open(sys.argv[1]).read().split("\\0"):
    with open(name, "rb") as file:
        text = file.read()
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        pass
"""
CHECK = (sys.executable, "-m", "pipedoctor", "check", "--no-config", "--quick")
QUIET = ("--deadline", "900", "--format", "json", "--fail-on", "never")


class CommandRun(NamedTuple):
    """One command: seconds, bytes of its largest process, and seconds of CPU of all of them."""

    seconds: float
    memory: int
    cpu: float


def main() -> None:
    """Measure, and write the table."""
    if len(sys.argv) < 2:  # noqa: PLR2004  (itself)
        sys.stderr.write("benchmarks/code.py: no FOLDER of projects given\n")
        return
    top = Path(sys.argv[1]).absolute()
    files = [path for path in sorted(top.rglob("*.py")) if path.is_file()]
    lines = sum(path.read_bytes().count(b"\n") for path in files)
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        names = place / "names"
        names.write_text("\0".join(map(str, files)))
        commands = _build_commands(top, place, names)
        runs: dict[str, list[CommandRun]] = {name: [] for name in commands}
        run_command([*CHECK, *QUIET, "--cache-dir", f"{place}/cache", str(top)])
        for _ in range(ROUNDS):
            for name, command in commands.items():
                for _ in range(AGAIN if name in SHORT else 1):
                    runs[name].append(run_command(command))
        middle = {name: _median_run(found) for name, found in runs.items()}
        sample = _choose_sample(top)
        torchfix = _run_torchfix(place, sample)
    count = sum(p.read_bytes().count(b"\n") for f in sample for p in f.rglob("*.py"))
    _write_code_page(middle, lines, len(files), torchfix, count)


def _build_commands(top: Path, place: Path, names: Path) -> dict[str, Sequence[str]]:
    file = place / "train.py"
    file.write_text(_make_source())
    check = [*CHECK, *QUIET]
    warm = ["--cache-dir", f"{place}/cache"]
    return {
        "`ast.parse` of the same files": [sys.executable, "-c", PARSE, str(names)],
        "cold, one process": [*check, "--no-cache", "-j", "1", str(top)],
        "cold": [*check, "--no-cache", str(top)],
        "warm": [*check, *warm, str(top)],
        "one file of 500 lines": [*check, "--no-cache", str(file)],
        "`ruff check`, for scale": [
            *(sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache"),
            *("--quiet", "--exit-zero", "--output-format", "json", str(top)),
        ],
    }


def _make_source() -> str:
    """Ten datasets and loops of fifty lines."""
    head = "import torch\nfrom torch.utils.data import DataLoader, Dataset\n"
    part = "class Set{n}(Dataset):\n    def __getitem__(self, i):\n"
    part += "        x = self.items[i] + 1\n" * 40
    part += "        return x\n\n\nloader{n} = DataLoader(Set{n}(), num_workers=4)\n"
    part += "for batch in loader{n}:\n    batch.to('cuda')\n"
    return head + "".join(part.replace("{n}", str(n)) for n in range(10))


def run_command(command: Sequence[str]) -> CommandRun:
    """One command to its end."""
    began = time.perf_counter()
    with subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=_environ.bytecode_environ(),
    ) as process:
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    cpu = usage.ru_utime + usage.ru_stime
    return CommandRun(time.perf_counter() - began, usage.ru_maxrss << 10, cpu)


def _median_run(runs: Sequence[CommandRun]) -> CommandRun:
    return CommandRun(
        statistics.median(one.seconds for one in runs),
        max(one.memory for one in runs),
        statistics.median(one.cpu for one in runs),
    )


def _choose_sample(top: Path) -> list[Path]:
    """Folders with as many lines as TorchFix can read in a minute or so."""
    chosen: list[Path] = []
    left = SAMPLE
    for folder in sorted(path for path in top.iterdir() if path.is_dir()):
        lines = sum(p.read_bytes().count(b"\n") for p in folder.rglob("*.py"))
        if lines <= left:
            chosen.append(folder)
            left -= lines
    return chosen


def _run_torchfix(place: Path, sample: Sequence[Path]) -> CommandRun:
    home = place / "torchfix"
    venv.create(home, with_pip=True)
    python = str(home / "bin" / "python")
    subprocess.run([python, "-m", "pip", "-q", "install", "torchfix"], check=True)
    command = [str(home / "bin" / "torchfix"), "--select", "ALL", *map(str, sample)]
    return run_command(command)


def _write_code_page(
    middle: dict[str, CommandRun],
    lines: int,
    files: int,
    torchfix: CommandRun,
    sample: int,
) -> None:
    base, *_ = middle.values()
    rows = [
        f"| {name} | {one.seconds:.2f} | {one.cpu / base.cpu:.2f} |"
        f" {lines / one.seconds:,.0f} | {one.memory / (1 << 20):.0f} |"
        if "500" not in name
        else f"| {name} | {one.seconds:.3f} | | | {one.memory / (1 << 20):.0f} |"
        for name, one in middle.items()
    ]
    speed = sample / torchfix.seconds
    times = lines / base.seconds / speed
    rows.append(
        f"| TorchFix, on {sample:,} of the lines | {torchfix.seconds:.2f} |"
        f" {times:.0f} | {speed:,.0f} | {torchfix.memory / (1 << 20):.0f} |"
    )
    _page.write_page(
        "code.md",
        "How long reading code takes",
        _page.describe_run(by="benchmarks/code.py")
        + f" {lines:,} lines in {files:,} files of well-known projects, median of"
        f" {ROUNDS}. Everything that `pipedoctor check --quick` does is counted: its"
        " start, the machine, all checks, the report as JSON.",
        _page.format_table(("what", "s", "x `ast.parse` (CPU)", "lines/s", "peak, MiB"), rows),
        _page.format_goals(_judge_goals(middle, base)),
    )


def _judge_goals(middle: dict[str, CommandRun], base: CommandRun) -> dict[str, bool]:
    cold, warm = middle["cold, one process"], middle["warm"]
    file, many = middle["one file of 500 lines"], middle["cold"]
    return {
        f"cold in one process in {COLD_GOAL} x the time of `ast.parse`": cold.cpu
        <= COLD_GOAL * base.cpu,
        "less in several": many.seconds < cold.seconds,
        f"warm in {WARM_GOAL} x the time of `ast.parse`": warm.cpu <= WARM_GOAL * base.cpu,
        f"one file in {FILE_GOAL} s": file.seconds <= FILE_GOAL,
        "at most 500 MiB": max(cold.memory, many.memory) <= MEMORY_GOAL,
    }


if __name__ == "__main__":
    main()
