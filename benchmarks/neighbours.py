"""
What `check --quick` costs where others hold many files: CPU time beside a quiet machine.

A dead process has left semaphores in /dev/shm, so somebody must say whether anybody still
holds them, and processes beside it hold hundreds of descriptors each. Runs without and
with these neighbours take turns; the ratio of their CPU times is what counts, so a busy
machine is no excuse. Writes docs/benchmarks/neighbours.md.
"""

import contextlib
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import _page

ROUNDS = int(os.environ.get("ROUNDS", "9"))
SEMAPHORES, NEIGHBOURS, DESCRIPTORS = 17, 32, 300
RATIO_GOAL = 1.3
QUICK = (
    sys.executable,
    "-m",
    "pipedoctor",
    "check",
    "--quick",
    "--no-config",
    "--fail-on",
    "never",
)
HOLD = (
    "import os, sys; held = [open(sys.argv[1]) for _ in range(int(sys.argv[2]))];"
    " print(flush=True); sys.stdin.read()"
)


@contextlib.contextmanager
def leave_semaphores() -> Generator[None, None, None]:
    """Files as a process leaves them that was killed while it had semaphores."""
    files = [Path(f"/dev/shm/sem.mp-benchmark{number:02}") for number in range(SEMAPHORES)]
    try:
        for file in files:
            file.write_bytes(bytes(32))
        yield
    finally:
        for file in files:
            file.unlink(missing_ok=True)


@contextlib.contextmanager
def start_neighbours(folder: Path) -> Generator[None, None, None]:
    """Processes that hold descriptors of a file that has nothing to do with us."""
    held = folder / "held"
    held.touch()
    argv = [sys.executable, "-S", "-c", HOLD, str(held), str(DESCRIPTORS)]
    with contextlib.ExitStack() as stack:
        for _ in range(NEIGHBOURS):
            process = stack.enter_context(
                subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            )
            stack.callback(process.kill)
            assert process.stdout is not None
            process.stdout.readline()
        yield


def measure_check() -> float:
    """CPU seconds of one run, of all its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(QUICK, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and write the page."""
    quiet: list[float] = []
    crowded: list[float] = []
    measure_check()  # for the caches and the .pyc files
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS):
            quiet.append(measure_check())
            with leave_semaphores(), start_neighbours(Path(folder)):
                crowded.append(measure_check())
    alone, beside = statistics.median(quiet), statistics.median(crowded)
    neighbours = f"{NEIGHBOURS} processes with {DESCRIPTORS} descriptors each"
    rows = [
        f"| nothing in /dev/shm | {alone:.3f} | 1.00 |",
        f"| {SEMAPHORES} semaphores left, {neighbours} | {beside:.3f} | {beside / alone:.2f} |",
    ]
    _page.write_page(
        "neighbours.md",
        "What others cost",
        _page.describe_run() + f" {ROUNDS} rounds in which both take turns; medians.",
        _page.format_table(("`check --quick` beside", "CPU, s", "ratio"), rows),
        _page.format_goals(
            {f"at most {RATIO_GOAL:g} times the CPU time": beside <= RATIO_GOAL * alone}
        ),
    )


if __name__ == "__main__":
    main()
