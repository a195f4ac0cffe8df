"""
How right `watch` is about labelled loops, beside py-spy, and what watching costs.

``python benchmarks/watch.py [LOOP...]``: all loops of tests/watch/loops, one after the
other, each watched for 7 s from when it is warm. Writes docs/benchmarks/watch.md.
About 22 minutes on a quiet machine; a loop that fails is a row of its own, and counts as
wrong; what SECONDS (1500) leave no time for is left out.

``python benchmarks/watch.py --pairs [NUMBER]`` measures only what throughput a watch costs,
in 6 minutes (16 pairs), ``--costs`` only the CPU that looking takes, in a minute. What is not
measured stays in the page, with its date.
"""

import collections
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from _watch_loss import measure_loss
from _watch_page import Measured, format_score, write_watch_page
from _watch_peers import PeerPrograms

from pipedoctor.watch.job.session import WatchSession
from tests.watch.loops.scores import (
    HERE,
    LABELS,
    ONE_OF_EACH,
    find_program,
    score,
)

if TYPE_CHECKING:
    from collections.abc import Callable

PAIRS = 16
SECONDS = float(os.environ.get("SECONDS", "1500"))
_LEFT_FOR_COSTS, _LEFT_FOR_LOSS, _LEFT_FOR_PEERS = 540.0, 420.0, 60.0
"""Seconds that must be left, for a part to begin."""
_FAILURES = (OSError, ValueError, LookupError, StopIteration, subprocess.SubprocessError)
FAMILY = """
import os, sys, time
def work():
    open("/proc/self/comm", "w").write("pt_data_worker")
    total = 0
    while os.getppid() == parent:
        total += sum(range(50))
        time.sleep(0.002)
    os._exit(0)
parent = os.getpid()
pids = [os.fork() or work() for _ in range(int(sys.argv[1]))]
print("ready", flush=True)
while True:
    time.sleep(0.01)
"""


def find_hot_line_by_py_spy(name: str, folder: Path, tool: str) -> int | None:
    """The line of the loop's file that most samples of py-spy end in; None: no py-spy."""
    if not Path(tool).exists():
        return None
    program, out = find_program(name), folder / "raw"
    with subprocess.Popen(
        [sys.executable, program, name, "14"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"LOOPS_FOLDER": str(folder), "PYTHONWARNINGS": "ignore"},
        text=True,
    ) as loop:
        assert loop.stdout is not None
        pid = loop.stdout.readline().strip()
        spy = [tool, "record", "-p", pid, "-d", "5", "-r", "50", "-f", "raw", "-o", str(out)]
        try:
            command = (*spy, "--nonblocking", "--subprocesses")
            subprocess.run(command, capture_output=True, check=False, timeout=30)
        finally:
            loop.kill()
    lines: collections.Counter[int] = collections.Counter()
    for row in out.read_text("utf-8").splitlines() if out.exists() else ():
        stack, _, number = row.rpartition(" ")
        frames = [f for f in stack.split(";") if f"{program.name}:" in f]
        if frames:
            line = frames[-1].rpartition(":")[2].rstrip(")")
            lines[int(line)] += int(number)
    return lines.most_common(1)[0][0] if lines else 0


def measure_cost(workers: int, *, stacks: bool) -> tuple[float, float]:
    """CPU milliseconds a second that looks take, in the first 3 s and then."""
    with subprocess.Popen(
        [sys.executable, "-c", FAMILY, str(workers)], stdout=subprocess.PIPE
    ) as family:
        assert family.stdout is not None
        family.stdout.readline()
        session = WatchSession(family.pid, stacks=stacks)
        spent: list[float] = []
        for until, seconds in ((3.0, 3.0), (9.0, 6.0)):
            before = time.thread_time()
            session.run(until)
            spent.append(1000 * (time.thread_time() - before) / seconds)
        session.close()
        family.kill()
    return spent[0], spent[1]


def add_loop(found: Measured, loop: str, folder: Path, spy: str) -> None:
    """Watch it; whatever fails becomes a row."""
    try:
        result = score(loop, folder)
        found.results.append(result)
        spied = find_hot_line_by_py_spy(loop, folder, spy) if loop in ONE_OF_EACH else None
        found.rows.append(format_score(result, spied))
    except _FAILURES as error:
        found.failed.append(loop)
        why = f"failed: {type(error).__name__}"
        found.rows.append(f"| {loop} | {LABELS[loop]} | **{why}** | - | - | - | |")
    sys.stderr.write(f"{found.rows[-1]}\n")


def main() -> None:
    """Run everything, and write the page; what is measured last is left out first."""
    if sys.argv[1:2] == ["--pairs"]:
        measure_pairs_alone(sys.argv[2:])
        return
    if sys.argv[1:] == ["--costs"]:
        add_costs(found := Measured())
        write_watch_page(found)
        return
    names = sys.argv[1:] or list(LABELS)
    if wrong := [name for name in names if name not in LABELS]:
        sys.stderr.write(f"{sys.argv[0]}: no loop is called {', '.join(wrong)}\n")
        sys.exit(2)
    end, found = time.monotonic() + SECONDS, Measured(wanted=len(names))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        peers = PeerPrograms(folder)
        for loop in names:
            if time.monotonic() < end - _LEFT_FOR_COSTS:
                add_loop(found, loop, folder, peers.find("py-spy"))
        write_watch_page(found)
        parts: tuple[tuple[Callable[[], None], float], ...] = (
            (lambda: add_costs(found), _LEFT_FOR_COSTS / 2),
            (lambda: add_loss(found, folder), _LEFT_FOR_LOSS),
            (lambda: add_peers(found, peers), _LEFT_FOR_PEERS),
        )
        for part, left in parts:
            with contextlib.suppress(*_FAILURES):
                if time.monotonic() < end - left:
                    part()
    write_watch_page(found)


def measure_pairs_alone(arguments: list[str]) -> None:
    """Measure what throughput is lost, and nothing else."""
    if arguments[1:] or not all(a.isdecimal() and int(a) for a in arguments):
        sys.stderr.write(f"{sys.argv[0]}: --pairs takes a number of pairs\n")
        sys.exit(2)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        loss = measure_loss(Path(name), HERE, int(arguments[0]) if arguments else PAIRS)
    write_watch_page(Measured(loss=loss))


def add_loss(found: Measured, folder: Path) -> None:
    """What throughput is lost while it is watched."""
    found.loss = measure_loss(folder, HERE, PAIRS)


def add_costs(found: Measured) -> None:
    """What looking at 2, 16 and 64 workers takes."""
    for workers, stacks in ((2, True), (16, True), (64, True), (16, False)):
        name = f"{workers} workers{'' if stacks else ', without stacks'}"
        found.costs[name] = measure_cost(workers, stacks=stacks)


def add_peers(found: Measured, peers: PeerPrograms) -> None:
    """What TraceML and train-doctor say of some of the loops."""
    ours = {r.name: r.verdict.removeprefix("bottleneck-") for r in found.results}
    found.peers.extend(peers.compare(ours, LABELS))


if __name__ == "__main__":
    main()
