"""`tune` and `whatif` with a real step on 20,000 JPEGs: regret, predicted against measured."""

import json
import statistics
from typing import Any

from benchmarks.gpu.results import Table
from benchmarks.gpu.session import PROGRAMS, Session, read_json, say

PHOTOS, DRY_PHOTOS = 20_000, 120
GRID = ("2:2", "4:2", "8:2", "12:2", "15:2")
ROUNDS, SECONDS = 2, 3.0
DRY_GRID = ("0:2", "1:2")
REGRET_GOAL, ERROR_GOAL = 0.03, 0.05
TARGET = f"{PROGRAMS / 'resnet_job.py'}:make_loader"
STEP = f"{PROGRAMS / 'resnet_job.py'}:step"


def measure(session: Session) -> None:
    """The dataset, then `tune`, a grid, and `whatif` at settings of the grid."""
    dry = session.place.dry_run
    photos = session.scratch / "photos"
    made = session.program("photos.py", str(photos), str(DRY_PHOTOS if dry else PHOTOS), limit=90)
    if made.code:
        raise RuntimeError(made.last_line)
    environ = {
        "GPU_RUN_PHOTOS": str(photos),
        "GPU_RUN_DEVICE": session.device,
        "GPU_RUN_BATCH": "8" if dry else "64",
    }
    tuned = _tune(session, environ)
    recommended = _name_setting(tuned.get("recommended", {}))
    wanted = list(DRY_GRID if dry else GRID)
    if recommended and recommended not in wanted:
        wanted.append(recommended)
    rounds = _measure_grid(session, environ, wanted)
    grid = {name: statistics.mean(rates) for name, rates in rounds.items()}
    regret = judge_regret(tuned, recommended, rounds, dry=dry)
    session.results.put_table(session.part, regret)
    _compare_predictions(session, environ, grid)


def _tune(session: Session, environ: dict[str, str]) -> dict[str, Any]:
    budget = "12" if session.place.dry_run else "60"
    done = session.pipedoctor(
        *("tune", TARGET, "--step", STEP, "--budget", budget, "--format", "json"),
        limit=90,
        add=environ,
    )
    found = read_json(done)
    if not found and not session.place.dry_run:
        raise RuntimeError(done.last_line)
    return found or {"why": done.last_line}


def _name_setting(setting: dict[str, Any]) -> str:
    """``8:2``: workers and prefetch factor."""
    if "num_workers" not in setting:
        return ""
    return f"{setting['num_workers']}:{setting['prefetch_factor'] or 2}"


def _measure_grid(
    session: Session, environ: dict[str, str], settings: list[str]
) -> dict[str, list[float]]:
    """The rates of each setting, of the rounds that there was time for."""
    rounds, seconds = (1, 1.0) if session.place.dry_run else (ROUNDS, SECONDS)
    plan = (str(rounds), str(seconds), *settings)
    done = session.program("resnet_job.py", *plan, limit=90, add=environ)
    rates: dict[str, list[float]] = {}
    for line in done.out.splitlines():
        if line.startswith("{"):
            found = json.loads(line)
            rates.setdefault(found["setting"], []).append(found["rate"])
    return rates


def judge_regret(
    tuned: dict[str, Any], recommended: str, rounds: dict[str, list[float]], *, dry: bool
) -> Table:
    """How much of the best rate of the grid the recommended setting leaves."""
    head = ("setting", "images a second, mean", "in each round", "")
    table = Table("tune against a grid", head)
    grid = {name: statistics.mean(rates) for name, rates in rounds.items()}
    best = max(grid.values(), default=0.0)
    for name, rate in grid.items():
        each = ", ".join(f"{one:,.0f}" for one in rounds[name])
        mark = "recommended" if name == recommended else ""
        table.rows.append([name, f"{rate:,.0f}", each, mark])
    if recommended in grid and best:
        regret = 1 - grid[recommended] / best
        noise = estimate_noise(rounds)
        words = f"regret {regret:.1%} (goal: at most {REGRET_GOAL:.0%}"
        words += f"; a mean varies by {noise:.1%})" if noise else ")"
        right = regret <= max(REGRET_GOAL, 2 * noise)
        table.rows.append([recommended, words, "", say(right)])
    else:
        why = "not measured by hand" if recommended else "nothing is recommended"
        table.rows.append([recommended, why, "", "" if dry else say(right=False)])
    confidence, why = tuned.get("confidence", "?"), tuned.get("why", "")
    table.notes.append(
        f"tune: bottleneck {tuned.get('bottleneck', '?')} ({why}), confidence {confidence},"
        f" {tuned.get('spent_seconds', 0):.0f} s, limits {tuned.get('limits', {}).get('binding')}."
    )
    return table


def estimate_noise(rounds: dict[str, list[float]]) -> float:
    """The relative standard error of a mean over rounds, over all settings; 0: one round."""
    errors = [
        statistics.stdev(rates) / statistics.mean(rates) / len(rates) ** 0.5
        for rates in rounds.values()
        if len(rates) > 1
    ]
    return statistics.fmean(error**2 for error in errors) ** 0.5 if errors else 0.0


def _compare_predictions(session: Session, environ: dict[str, str], grid: dict[str, float]) -> None:
    """Predict settings that were measured by hand; the error is of the rate."""
    head = ("setting", "predicted", "low to high", "measured", "error", "basis")
    table = Table("whatif against measurements", head)
    dry = session.place.dry_run
    errors: list[float] = []
    for name in [n for n in ("4:2", "12:2") if n in grid] or list(grid)[:1]:
        workers, _, prefetch = name.partition(":")
        more = ["--prefetch", prefetch] if workers != "0" else []
        done = session.pipedoctor(
            *("whatif", TARGET, "--step", STEP, "--workers", workers, *more),
            *("--budget", "12" if dry else "30", "--format", "json"),
            limit=40,
            add=environ,
        )
        found = read_json(done)
        if not found:
            verdict = "" if dry else say(right=False)
            table.rows.append([name, done.last_line, "", f"{grid[name]:,.0f}", "", verdict])
            continue
        guess = found["predicted"]
        error = abs(guess["samples_per_second"] / grid[name] - 1)
        errors.append(error)
        between = f"{guess['low']:,.0f} to {guess['high']:,.0f}"
        row = [name, f"{guess['samples_per_second']:,.0f}", between, f"{grid[name]:,.0f}"]
        table.rows.append([*row, f"{error:.1%}", found["basis"]])
        session.results.put_table(session.part, table)
    if errors:
        middle = statistics.median(errors)
        verdict = "" if dry else say(middle <= ERROR_GOAL)
        words = f"{middle:.1%} (goal: at most {ERROR_GOAL:.0%})"
        table.rows.append(["median", "", "", "", words, verdict])
    session.results.put_table(session.part, table)
