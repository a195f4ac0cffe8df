"""`watch` on six loops whose bottleneck is known: verdict, GPU share, line, cost."""

import json
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from benchmarks.gpu import smi
from benchmarks.gpu.processes import end_process_tree
from benchmarks.gpu.results import Table
from benchmarks.gpu.session import PROGRAMS, Session, say

WATCHED, ALONE, STORED = 9.0, 3.0, 1.0
"""Seconds with `watch`; without it, before and after; those in which stored batches are used."""
DRY_WATCHED, DRY_ALONE = 6.0, 1.0
SHARE_TOLERANCE = 0.15
"""The driver counts a GPU that is told to start a kernel as busy, the profiler does not."""
STEADY = "gpu-bound"
"""The loop during which power, clock and memory hardly move."""
LIVE_TOLERANCE = {"power": 0.25, "clock": 0.15, "memory": 0.05}
"""Relative: `watch` has the mean of power, and both ask at different moments."""
LABELS = {
    "gpu-bound": ("bottleneck-consumer",),
    "decode-bound": ("bottleneck-decode-cpu",),
    "h2d-bound": ("bottleneck-main-thread", "bottleneck-consumer"),
    "sync-in-loop": ("bottleneck-main-thread", "bottleneck-consumer"),
    "small-kernels": ("bottleneck-consumer", "bottleneck-main-thread"),
    "storage-bound": ("bottleneck-storage-latency",),
}
"""Loop -> verdicts that are right: data is there in four of them, and it is the step."""


@dataclass
class Watched:
    """One loop and what was said of it."""

    verdict: str
    line: int | None
    wait: float | None
    gpu_share: float | None
    sampler: float | None
    profiled: float | None
    slowdown: float | None
    problem: str = ""
    live: list[list[str]] = field(default_factory=list[list[str]])
    """Rows: what it reads of the driver, and what nvidia-smi said just before."""


def measure(session: Session) -> None:
    """One loop after the other; each is its own row at once."""
    head = ("loop", "verdict", "waits for data", "line", "GPU busy", "by CUPTI", "slowed by", "")
    table = Table("Six loops", head)
    lines = find_marked_lines()
    dry = session.place.dry_run
    for name in ("gpu-bound", "decode-bound") if dry else LABELS:
        found = _watch_loop(session, name)
        table.rows.append(describe_row(name, found, lines.get(name, ()), dry=dry))
        session.results.put_table(session.part, table)
        if name == STEADY and found.live:
            columns = ("GPU", "field", "watch", "nvidia-smi", "")
            live = Table("What watch reads of the driver", columns, found.live)
            session.results.put_table(session.part, live)
        if found.verdict in LABELS[name] and not dry:
            session.results.mark_seen(found.verdict, f"watch: the loop {name}")
    table.notes.append(
        "Slowed by: steps a second before and after `watch` against those during it,"
        " and its own CPU time."
    )
    session.results.put_table(session.part, table)


def describe_row(name: str, found: Watched, lines: tuple[int, ...], *, dry: bool) -> list[str]:
    """A loop as a row of the table."""
    if found.problem:
        return [name, found.problem, "", "", "", "", "", say(right=False)]
    right = found.verdict in LABELS[name]
    known = found.gpu_share is not None and found.profiled is not None
    apart = abs((found.gpu_share or 0) - (found.profiled or 0))
    hot = f"{found.line}" + (" (marked)" if found.line in lines else "") if found.line else ""
    verdict = "" if dry and not right else say(right, found.verdict)
    if known and apart > SHARE_TOLERANCE:
        verdict = say(False, f"GPU share {apart:.0%} apart")
    return [
        name,
        found.verdict,
        *(_percent(found.wait), hot, _percent(found.gpu_share), _percent(found.profiled)),
        _describe_cost(found),
        verdict,
    ]


def _describe_cost(found: Watched) -> str:
    """Steps that were lost while it was watched, and what watching took itself."""
    own = "" if found.sampler is None else f" ({found.sampler:.1%} of a CPU)"
    return f"{_percent(found.slowdown)}{own}".strip()


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def find_marked_lines() -> dict[str, tuple[int, ...]]:
    """Loop -> lines marked with ``# hot: NAME``."""
    found: dict[str, tuple[int, ...]] = {}
    text = (PROGRAMS / "loops.py").read_text("utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        for name in line.partition("# hot:")[2].split():
            found[name] = (*found.get(name, ()), number)
    return found


def _watch_loop(session: Session, name: str) -> Watched:
    watched = DRY_WATCHED if session.place.dry_run else WATCHED
    alone = DRY_ALONE if session.place.dry_run else ALONE
    folder = session.scratch / "loops"
    folder.mkdir(exist_ok=True)
    seconds = str(STORED + 2 * alone + watched + 2)
    argv = [session.place.python, str(PROGRAMS / "loops.py"), name, session.device, seconds]
    errors = session.scratch / f"{name}.err"
    with errors.open("wb") as stderr:
        loop = subprocess.Popen(
            [*argv, str(folder)],
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
            cwd=session.scratch,
        )
        try:
            return _observe(session, loop, alone, watched, errors)
        finally:
            end_process_tree(loop.pid)
            loop.wait()


def _observe(
    session: Session,
    loop: "subprocess.Popen[bytes]",
    alone: float,
    watched: float,
    errors: Path,
) -> Watched:
    assert loop.stdout is not None
    pid = _read_answer(loop.stdout).get("pid")
    if pid is None:
        loop.wait(timeout=10)
        return _fail(errors.read_text("utf-8", errors="replace").strip()[-300:] or "no PID")
    time.sleep(STORED + alone)
    theirs = _ask_live_fields(session)
    began = time.time()
    done = session.pipedoctor(
        *("watch", str(pid), "--seconds", str(watched), "--format", "json"),
        limit=watched + 30,
    )
    ended = time.time()
    answer = _read_answer(loop.stdout)
    report = _read_report(done.out)
    if not report:
        return _fail(done.last_line)
    found = summarize(report, answer, began, ended)
    own = (report["facts"]["known"].get("live") or {}).get("gpus", ())
    found.live = compare_live_fields(own, theirs)
    return found


def _fail(problem: str) -> Watched:
    return Watched("", None, None, None, None, None, None, problem)


def _read_answer(pipe: IO[bytes]) -> dict[str, Any]:
    """The next line of JSON; nothing where the loop has ended."""
    for line in pipe:
        if line.startswith(b"{"):
            value: dict[str, Any] = json.loads(line)
            return value
    return {}


def _read_report(text: str) -> dict[str, Any]:
    """The last of the lines that `watch` prints, or the report after them."""
    for begin in ("\n{\n", "\n{"):
        place = text.rfind(begin)
        try:
            value = json.loads(text[place + 1 :]) if place >= 0 else json.loads(text)
        except ValueError:
            continue
        if isinstance(value, dict) and "findings" in value:
            return value
    return {}


def summarize(
    report: dict[str, Any], answer: dict[str, Any], began: float, ended: float
) -> Watched:
    """What matters of a report, beside what the loop says of itself."""
    verdicts = [f for f in report["findings"] if f["name"].startswith("bottleneck-")]
    first = verdicts[0] if verdicts else {"name": "no verdict", "evidence": {}, "location": None}
    live = report["facts"]["known"].get("live", {})
    ends = answer.get("ends", [])
    used = ends[0] + STORED if ends else 0.0
    before = [end for end in ends if used < end < began]
    alone = _compute_rate(before, [end for end in ends if end > ended])
    during = _compute_rate([end for end in ends if began <= end <= ended])
    return Watched(
        verdict=first["name"],
        line=(first.get("location") or {}).get("line"),
        wait=first["evidence"].get("data_wait.share"),
        gpu_share=first["evidence"].get("gpu.busy.share"),
        sampler=live.get("sampler_cpu"),
        profiled=answer.get("gpu_share"),
        slowdown=1 - during / alone if alone and during else None,
    )


def _compute_rate(*spans: list[float]) -> float | None:
    """Steps a second of all these spans of ends."""
    long = [ends for ends in spans if len(ends) > 2]  # noqa: PLR2004
    seconds = sum(ends[-1] - ends[0] for ends in long)
    return sum(len(ends) - 1 for ends in long) / seconds if seconds else None


def _ask_live_fields(session: Session) -> list[dict[str, float | None]]:
    """Power, clock and memory of each GPU as nvidia-smi has them at this moment."""
    done = session.run(["nvidia-smi", "-q", "-x"], 20)
    try:
        return smi.parse_live(done.out)
    except ValueError as error:
        session.results.log(str(error))
        return []


def compare_live_fields(
    own: Sequence[Mapping[str, Any]], theirs: Sequence[Mapping[str, float | None]]
) -> list[list[str]]:
    """A row for each field of each GPU: about the same, or not supported by both."""
    rows: list[list[str]] = []
    for device, other in zip(own, theirs, strict=False):
        for name, tolerance in LIVE_TOLERANCE.items():
            one, two = device.get(name), other.get(name)
            same = one == two
            if one is not None and two is not None:
                same = abs(one - two) <= tolerance * max(one, two)
            shown = ["not supported" if v is None else f"{v:,.0f}" for v in (one, two)]
            rows.append([str(device["index"]), name, *shown, say(same)])
    return rows
