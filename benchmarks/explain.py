"""
How fast a log is read, beside `grep -F -f` of its words; how soon it answers.

Writes docs/benchmarks/explain.md.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import _environ
import _page

from pipedoctor.explanation.signature_catalogue import load_signatures

MIB = 1 << 20
ROUNDS = int(os.environ.get("ROUNDS", "9"))
ERROR = (
    "RuntimeError: DataLoader worker (pid 47) is killed by signal: Bus error. It is"
    " possible that dataloader's workers are out of shared memory.\n"
)
CHILD = """
import sys, resource
from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.explanation.reasoning import diagnose
from pipedoctor.log.read_log import read_log
book = load_signatures()
with open(sys.argv[1], "rb") as file:
    log = read_log(file, book)
print(diagnose(log, book).causes[0].cause, log.lines,
      resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


STEPS = 5000
"""Lines that are made at a time."""


def fill_log(path: Path, size: int, part: Callable[[int], str], end: str = ERROR) -> None:
    """A log of parts, by their numbers, until it is so large; then its end."""
    with path.open("w", encoding="utf-8") as file:
        written = number = 0
        while written < size:
            written += file.write(part(number))
            number += 1
        file.write(end)


def write_log(path: Path, size: int) -> None:
    """Training output with progress bars, and one error near the end."""

    def part(number: int) -> str:
        return "".join(
            f"2026-01-01 10:{i % 60:02d}:00 INFO [rank{i % 8}] epoch {i // 999}"
            f" step {i} loss {7 / (i + 1):.5f} lr {1e-3 / (1 + i):.3e}"
            f" {i % 977} img/s data {i % 13 / 1000:.4f}\n"
            + (f"train: {i % 100:3d}%|{'#' * (i % 10)}| {i}/99999\r" * 3)
            for i in range(number * STEPS, (number + 1) * STEPS)
        )

    fill_log(path, size, part, ERROR + "".join(f"bye {i}\n" for i in range(100)))


def write_wordy_log(path: Path, size: int) -> None:
    """Write a hundred kinds of lines, each with six words of the catalogue."""
    known = sorted(word for word in load_signatures().words if word.isascii())
    kinds = [" ".join(known[i::100][:6]) for i in range(100)]

    def part(number: int) -> str:
        return "".join(
            f"2026-01-01 10:{i % 60:02d}:00 INFO {kinds[i % 100]} {i}\n"
            for i in range(number * STEPS, (number + 1) * STEPS)
        )

    fill_log(path, size, part)


def write_progress_log(path: Path, size: int) -> None:
    """A progress bar of 500 steps for each epoch, none of which ends its line."""

    def part(epoch: int) -> str:
        bars = "".join(
            f"\rEpoch {epoch}: {i // 5:3d}%|{'█' * (i // 50):<10}| {i}/500"
            f" [00:{i % 60:02d}<00:15, {i % 41}.{i % 97:02d}it/s,"
            f" loss={7 / (i + 1):.3f}, v_num=3]"
            for i in range(500)
        )
        return f"{bars}\n"

    fill_log(path, size, part)


def run_timed(argv: list[str]) -> tuple[float, str]:
    """CPU seconds of a command, and what it said."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        argv, capture_output=True, text=True, check=False, env=_environ.bytecode_environ()
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    return spent, done.stdout


def measure_throughput(folder: Path, size: int) -> list[str]:
    """Rows of a table: a large log, read by us and by grep."""
    bars = folder / "bars.log"
    write_progress_log(bars, size)
    wordy = folder / "wordy.log"
    write_wordy_log(wordy, size)
    log = folder / "train.log"
    write_log(log, size)
    real = log.stat().st_size
    rows = [
        measure_explain("progress bars and steps", log),
        measure_explain("progress bars alone", bars),
        measure_explain("a hundred kinds of lines with six known words each", wordy),
    ]
    words = folder / "words"
    words.write_text("\n".join(sorted(load_signatures().words)) + "\n", "utf-8")
    for options in (("-F",), ("-F", "-i")):
        spent, _ = run_timed(["grep", "-c", *options, "-f", str(words), str(log)])
        rows.append(format_row(f"`grep {' '.join(options)} -f` of the same words", real, spent))
    return rows


def measure_explain(kind: str, log: Path) -> str:
    """A row of the table: this log, read by us."""
    spent, said = run_timed([sys.executable, "-c", CHILD, str(log)])
    cause, lines, peak = said.split()
    what = f"`explain`, {kind}: {cause} among {lines} lines"
    return format_row(what, log.stat().st_size, spent, int(peak) / 1024)


def format_row(what: str, size: int, spent: float, peak: float | None = None) -> str:
    """A line of a Markdown table."""
    memory = "" if peak is None else f"{peak:.0f}"
    return f"| {what} | {size / MIB:.0f} | {spent:.2f} | {size / spent / MIB:.0f} | {memory} |"


def measure_latency(folder: Path) -> str:
    """From the command line to the answer, for a log of 200 lines."""
    log = folder / "short.log"
    rows = [f"epoch 1 step {i} loss {1 / (i + 1):.3f}\n" for i in range(199)]
    log.write_text("".join([*rows, ERROR]), "utf-8")
    argv = [sys.executable, "-m", "pipedoctor", "explain", str(log)]
    walls: list[float] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        run_timed(argv)
        walls.append(time.perf_counter() - began)
    return (
        f"The first answer for a log of 200 lines, this machine examined as well:"
        f" {statistics.median(walls):.3f} s ({min(walls):.3f} to {max(walls):.3f},"
        f" {ROUNDS} rounds)."
    )


def main() -> None:
    """Write the page; `--mib` says how large the large log is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mib", type=int, default=256)
    options = parser.parse_args()
    book = load_signatures()
    words = f"{len(book.words)} words of {len(book.failures)} illnesses"
    head = ("what", "MiB", "s", "MiB/s", "peak, MiB")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _page.write_page(
            "explain.md",
            "How fast a log is explained",
            f"{_page.describe_run(words)} Seconds are of one CPU.",
            _page.format_table(head, measure_throughput(folder, options.mib * MIB)),
            measure_latency(folder),
        )


if __name__ == "__main__":
    main()
