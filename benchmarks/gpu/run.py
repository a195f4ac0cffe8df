"""Run the parts in turn, each as a process group with a limit that ends it."""

import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path

from benchmarks.gpu.one_part import NOT_THERE
from benchmarks.gpu.parts import LIMIT, PARTS
from benchmarks.gpu.processes import ENDED, run_command
from benchmarks.gpu.results import Results
from benchmarks.gpu.session import ROOT, Place

_LEAST = 30.0
"""Seconds with which a part is still begun."""


def run_parts(place: Place, results: Results, names: list[str] | None, total: float) -> int:
    """Those that are named; else as many as fit into `total` seconds, in their order."""
    file = Path(place.scratch) / "place.json"
    file.write_text(json.dumps(asdict(place)), "utf-8")
    until = time.monotonic() + total
    left_out: list[str] = []
    for name in names or PARTS:
        left = LIMIT if names else until - time.monotonic()
        if left < min(PARTS[name].typical, LIMIT) and not (place.dry_run and left > _LEAST):
            left_out.append(name)
            results.set_state(name, PARTS[name].title, "left out: no time was left")
            continue
        _run_part(results, name, min(LIMIT, left), file)
    return _summarize(place, left_out)


def _run_part(results: Results, name: str, limit: float, file: Path) -> None:
    title = PARTS[name].title
    print(f"== {name}: {title} (at most {limit:.0f} s)", flush=True)
    argv = [sys.executable, "-m", "benchmarks.gpu.one_part", str(file), name, str(limit - 5)]
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = run_command(argv, limit, environ=environ, cwd=ROOT)
    results.reload()
    states = {0: "complete", NOT_THERE: "left out: it is not written yet", ENDED: "cut off"}
    state = states.get(done.code, f"stopped: {done.last_line}")
    if done.code == ENDED:
        state = f"cut off at its limit of {limit:.0f} s"
    results.set_state(name, title, state, done.seconds)
    if done.out or done.err:
        results.log(f"[{name}] {done.out}{done.err}")
    print(f"   {state}, {done.seconds:.0f} s", flush=True)


def _summarize(place: Place, left_out: list[str]) -> int:
    results = Results(Path(place.out))
    wrong = results.list_wrong()
    if left_out:
        print(f"left out: {', '.join(left_out)} (run: sh dev.sh gpu --parts {','.join(left_out)})")
    for line in wrong:
        print(f"not as we say: {line}")
    stopped = [n for n, p in results.data["parts"].items() if p["state"].startswith(("cut", "sto"))]
    for name in stopped:
        print(f"{name}: {results.data['parts'][name]['state']}")
    print(f"results: {results.folder}")
    return int(bool(wrong or stopped))
