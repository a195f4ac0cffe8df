"""
How right `watch` is about labelled loops, beside py-spy, and what watching costs.

``python benchmarks/watch.py [LOOP...]``: all loops of tests/watch/loops, one after the
other, each watched for 7 s from when it is warm. Writes docs/benchmarks/watch.md.
"""

import collections
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import _page

from pipedoctor.watch.session import WatchSession
from tests.watch.loops.scores import (
    HERE,
    LABELS,
    ONE_OF_EACH,
    Score,
    find_marked_lines,
    find_program,
    score,
)

PAIRS = int(os.environ.get("PAIRS", "6"))
PAIR_SECONDS = 3.0
MIN_RIGHT, MIN_NAMED, MAX_DISTANCE = 0.9, 0.8, 0.1
MAX_COSTS, MAX_PLAIN_COST = (20.0, 5.0), 1.0
"""Milliseconds of CPU a second: at first and then; without stacks."""
FINE = ("bottleneck-consumer", "bottleneck-main-thread")
COUNTER = """
import os, sys
sys.path.insert(0, {folder!r})
import loop, loop_items
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
loop.torch.set_num_threads(1)
for number, _ in enumerate(loop.loader(loop_items.normalize, 2)):
    os.pwrite(file, number.to_bytes(8, "little"), 0)
"""
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


def find_hot_line_by_py_spy(name: str, folder: Path) -> int | None:
    """The line of the loop's file that most samples of py-spy end in; None: no py-spy."""
    tool = shutil.which("py-spy", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if tool is None:
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
        subprocess.run([*spy, "--nonblocking", "--subprocesses"], capture_output=True, check=False)
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


def measure_loss(folder: Path) -> list[float]:
    """Throughput with a watch, as a share of that without, in pairs that take turns."""
    file = folder / "count"
    source = COUNTER.format(folder=str(HERE))
    ratios: list[float] = []
    with subprocess.Popen([sys.executable, "-c", source, file]) as job:
        while not file.exists() or not file.stat().st_size:
            time.sleep(0.2)
        time.sleep(3)
        for number in range(PAIRS):
            rates: dict[bool, float] = {}
            for watched in (True, False) if number % 2 else (False, True):
                rates[watched] = _measure_rate(file, job.pid if watched else None)
            ratios.append(rates[True] / max(rates[False], 1e-9))
        job.kill()
    return ratios


def _measure_rate(file: Path, watched: int | None) -> float:
    watch = None
    if watched is not None:
        command = (sys.executable, "-m", "pipedoctor", "watch", str(watched), "-q")
        watch = subprocess.Popen(
            [*command, "--seconds", str(PAIR_SECONDS + 4)], stdout=subprocess.DEVNULL
        )
        time.sleep(1.5)  # starting is not counted
    began, count = time.perf_counter(), _read_count(file)
    time.sleep(PAIR_SECONDS)
    rate = (_read_count(file) - count) / (time.perf_counter() - began)
    if watch is not None:
        watch.kill()
        watch.wait()
    return rate


def _read_count(file: Path) -> int:
    return int.from_bytes(file.read_bytes()[:8], "little")


def format_score(result: Score, spied: int | None) -> str:
    """One row of the table."""
    marked = find_marked_lines().get(result.name)
    line = "-" if marked is None else "right" if result.line_right else f"**{result.line}**"
    spy = "" if spied is None or marked is None else "right" if spied == marked else "other"
    verdict = result.verdict.removeprefix("bottleneck-")
    shown = verdict if result.right else f"**{verdict}**"
    return (
        f"| {result.name} | {LABELS[result.name]} | {shown} | {line} | {result.wait:.0%} |"
        f" {result.own_wait:.0%} | {spy} |"
    )


def summarize(results: Sequence[Score], costs: dict[str, tuple[float, float]]) -> dict[str, bool]:
    """The goals, and whether they are met."""
    right = sum(r.right for r in results) / len(results)
    fine = [r for r in results if f"bottleneck-{LABELS[r.name]}" in FINE]
    blamed = [r.name for r in fine if r.verdict not in FINE]
    lines = [r.line_right for r in results if r.line_right is not None]
    named = sum(lines) / max(1, len(lines))
    near = sum(abs(r.wait - r.own_wait) <= MAX_DISTANCE for r in results) / len(results)
    stacks = [cost for name, cost in costs.items() if "without" not in name]
    plain = [cost for name, cost in costs.items() if "without" in name]
    return {
        f"the verdict is right in 90 % ({right:.0%})": right >= MIN_RIGHT,
        f"no pipeline that is fine is blamed ({len(blamed)} of {len(fine)})": not blamed,
        f"the line at fault is named in 80 % ({named:.0%})": named >= MIN_NAMED,
        f"data wait within 10 points of the loop's own clock ({near:.0%})": near == 1.0,
        "20 ms of CPU a second at first, then 5": all(
            first <= MAX_COSTS[0] and then <= MAX_COSTS[1] for first, then in stacks
        ),
        "1 ms a second without stacks": all(then <= MAX_PLAIN_COST for _, then in plain),
    }


def main() -> None:
    """Run everything, and write the page."""
    names = sys.argv[1:] or list(LABELS)
    results: list[Score] = []
    rows: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for loop in names:
            result = score(loop, folder)
            spied = find_hot_line_by_py_spy(loop, folder) if loop in ONE_OF_EACH else None
            results.append(result)
            rows.append(format_score(result, spied))
            sys.stderr.write(rows[-1] + "\n")
        costs = {
            f"{workers} workers{'' if stacks else ', without stacks'}": measure_cost(
                workers, stacks=stacks
            )
            for workers, stacks in ((2, True), (16, True), (64, True), (16, False))
        }
        ratios = measure_loss(folder)
    write_watch_page(rows, results, costs, ratios)


def write_watch_page(
    rows: Sequence[str],
    results: Sequence[Score],
    costs: dict[str, tuple[float, float]],
    ratios: Sequence[float],
) -> None:
    """Write docs/benchmarks/watch.md."""
    loss = 1 - statistics.median(ratios)
    spread = f"{1 - max(ratios):+.1%} to {1 - min(ratios):+.1%}"
    head = ("loop", "label", "verdict", "line", "data wait", "own clock", "line by py-spy")
    cost = [f"| {name} | {first:.1f} | {then:.1f} |" for name, (first, then) in costs.items()]
    _page.write_page(
        "watch.md",
        "How right `watch` is, and what it costs",
        _page.describe_run(
            f"{len(results)} loops of tests/watch/loops",
            by="nice -n -15 python benchmarks/watch.py",
        ),
        "Each loop is watched for 7 s from when it is warm. What is wrong is in bold. py-spy "
        "samples one loop of each class for 5 s, 50 times a second, without stopping it.",
        _page.format_table(head, rows),
        "Looks, CPU milliseconds a second; starting, lines and the report are not counted:",
        _page.format_table(("job", "first 3 s", "then"), cost),
        f"Throughput lost while it is watched, the median of {len(ratios)} pairs that take turns: "
        f"{loss:+.1%} ({spread} in the pairs: what others do on the machine is in these).",
        _page.format_goals(summarize(results, costs)),
        _describe_peers(),
    )


def _describe_peers() -> str:
    """What others can do of this at all; read in their releases."""
    record = json.loads((Path(__file__).parent / "watch_peers.json").read_text("utf-8"))
    rows = [f"| {row['tool']} | {row['attaches']} | {row['says']} |" for row in record]
    return str(_page.format_table(("tool", "attaches to a running job", "says"), rows))


if __name__ == "__main__":
    main()
