"""docs/benchmarks/tune.md: our advice, that of others, and the errors of the model."""

import os
import platform
import re
import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from _held_page import said, sizes, tenth
from _page import table, written
from _truth import doubt, drifted, truth

Row = dict[str, Any]
GRID = ("workload", "cause found", "start", "best of grid", "recommended", "regret")
RIVALS = ("workload", "tune", "loadtune", "0", "cpu_count", "4")
ERRORS = (
    "workload",
    "points",
    "median",
    "p90",
    "within interval",
    "drift",
    "windows differ",
    "truth is known to",
)
_CPUS = os.cpu_count() or 1


def page(rows: dict[str, Row], missing: Sequence[str]) -> str:
    """Everything that was measured, and what was not."""
    import torch

    release = re.match(r"[\d.]*\d", platform.release())
    more = f"Linux {release[0]}" if release else ""
    by = "python benchmarks/tune.py"
    parts = (
        "# Tuning, against the whole grid",
        written(more, f"torch {torch.__version__}", by=by),
        HEAD,
        table(GRID, (_advice(name, row) for name, row in rows.items())),
        "\n".join(_summary(rows)),
        f"Not measured with this version: {', '.join(missing)}." if missing else "",
        "## Beside loadtune and rules of thumb",
        RULES,
        table(RIVALS, (_beside(name, row) for name, row in rows.items())),
        "\n".join(_rivals(rows)),
        "## What-if",
        WHATIF,
        table(ERRORS, (_errors(name, row) for name, row in rows.items())),
        "\n".join(_model(rows)),
        *sizes(rows),
    )
    return "\n\n".join(part for part in parts if part) + "\n"


def rate(row: Row, wanted: Row) -> float:
    """The median of all windows of a setting, whoever asked for them."""
    steady = row["grid"]["label"] != "worker-startup"  # then starts do not count
    names = [name for name in wanted if not (steady and name == "persistent_workers")]
    tune, other = row["tune"], row.get("loadtune", {})
    known = [(cell, cell["windows"]) for cell in row["grid"]["cells"]]
    first = max(row["grid"]["cells"], key=lambda cell: float(cell["rate"]))
    known += [(tune["chosen"], tune["windows"]["chosen"])]
    known += [(first, tune["windows"]["best"])]
    known += [(tune["current"], tune["windows"]["start"])]
    known += [(other["cell"], other["windows"])] if "windows" in other else []
    return float(
        statistics.median(
            window
            for cell, windows in known
            if all(cell[name] == wanted[name] for name in names)
            for window in windows
        )
    )


def top(row: Row) -> Row:
    """The fastest setting of the grid."""
    cells: list[Row] = [
        {key: value for key, value in cell.items() if key not in {"windows", "rate"}}
        for cell in row["grid"]["cells"]
    ]
    return max(cells, key=lambda cell: rate(row, cell))


def regret(row: Row, wanted: Row) -> float:
    """How far the rate of a setting lies below the best one."""
    return 1 - rate(row, wanted) / rate(row, top(row))


def ours(row: Row) -> float:
    """Regret of what `tune` recommends."""
    return regret(row, row["tune"]["chosen"])


def rule(row: Row, workers: int) -> float:
    """Regret of so many workers with everything else as torch has it."""
    cell = {
        "num_workers": workers,
        "prefetch_factor": 2 if workers else None,
        "in_order": True,
        "persistent_workers": False,
    }
    return regret(row, cell)


def other(row: Row) -> float | None:
    """Regret of what loadtune recommends; None: it was not asked, or it failed."""
    found = row.get("loadtune", {})
    return regret(row, found["cell"]) if "windows" in found else None


def errors(row: Row, *, drift: bool = True) -> list[float]:
    """Relative errors for cells that the probe did not measure, the smallest first."""
    pairs = zip(truth(row, drift=drift), row["whatif"]["cells"], strict=True)
    return sorted(
        abs(guess["rate"] / rate - 1) for rate, guess in pairs if not guess["measured"]
    )


def within(row: Row) -> list[bool]:
    """For the same cells, whether the interval holds what was measured."""
    pairs = zip(truth(row), row["whatif"]["cells"], strict=True)
    return [
        guess["low"] <= rate <= guess["high"]
        for rate, guess in pairs
        if not guess["measured"]
    ]


def apart(row: Row) -> list[float]:
    """How far two windows of the same cell are apart."""
    cells = row["grid"]["cells"]
    pairs = (cell["windows"][:2] for cell in cells)
    return sorted(max(pair) / min(pair) - 1 for pair in pairs)


def right(row: Row) -> bool:
    """Is the cause named that was put in?"""
    return bool(row["grid"]["label"] == row["tune"]["bottleneck"])


def _advice(name: str, row: Row) -> str:
    tune, found = row["tune"], top(row)
    wrong = "" if right(row) else f" (is {row['grid']['label']})"
    bound = f", {tune['bound']}" if tune["bound"] else ""
    cells = (
        f"{name}{bound}",
        f"{tune['bottleneck']}{wrong}",
        f"{rate(row, tune['current']):,.0f}",
        f"{rate(row, found):,.0f} ({said(found)})",
        f"{rate(row, tune['chosen']):,.0f} ({said(tune['chosen'])})",
        _percent(ours(row)),
    )
    return f"| {' | '.join(cells)} |"


def _summary(rows: dict[str, Row]) -> Iterator[str]:
    number = len(rows)
    regrets = [max(0.0, ours(row)) for row in rows.values()]
    spent = [row["tune"]["spent"] for row in rows.values()]
    share = [row["tune"]["spent"] / row["grid"]["seconds"] for row in rows.values()]
    slower = [name for name, row in rows.items() if _slower(row)]
    yield f"Over {number} workloads:\n"
    yield (
        f"- regret of the recommended setting: median {statistics.median(regrets):.1%},"
        f" worst {max(regrets):.1%};"
    )
    yield (
        f"- the cause is named right in {sum(map(right, rows.values()))} of {number};"
    )
    yield f"- slower than the setting that was there: {', '.join(slower) or 'none'};"
    yield (
        f"- a run takes {statistics.median(spent):.0f} s in the median, at most"
        f" {max(spent):.0f} s, the import of torch included:"
        f" {statistics.median(share):.0%} of the time of this grid."
    )


def _slower(row: Row) -> bool:
    windows = row["tune"]["windows"]
    same = row["tune"]["chosen"] == row["tune"]["current"]
    return not same and max(windows["chosen"]) < min(windows["start"])


def _beside(name: str, row: Row) -> str:
    found = row.get("loadtune", {})
    behind = other(row)
    it = "-" if behind is None else f"{_percent(behind)} ({said(found['cell'])})"
    rules = (_percent(rule(row, workers)) for workers in (0, _CPUS, 4))
    return f"| {' | '.join((name, _percent(ours(row)), it, *rules))} |"


def _rivals(rows: dict[str, Row]) -> Iterator[str]:
    ways = {
        "`pipedoctor tune`": [ours(row) for row in rows.values()],
        "loadtune": [one for row in rows.values() if (one := other(row)) is not None],
        "`num_workers=0`": [rule(row, 0) for row in rows.values()],
        "`num_workers=cpu_count`": [rule(row, _CPUS) for row in rows.values()],
        "`num_workers=4` for each GPU": [rule(row, 4) for row in rows.values()],
    }
    for name, found in ways.items():
        if found:
            yield (
                f"- {name}: median {_percent(statistics.median(found))}, worst"
                f" {_percent(max(found))}; within 2 % of the best in"
                f" {_near(found, 0.02)}, within 8 % in {_near(found, 0.08)} of"
                f" {len(found)};"
            )
    spent = [
        row["loadtune"]["seconds"]
        for row in rows.values()
        if "windows" in row.get("loadtune", {})
    ]
    if spent:
        yield f"- loadtune takes {statistics.median(spent):.0f} s in the median."


def _near(found: list[float], most: float) -> int:
    """How many are not farther from the best."""
    return sum(value <= most for value in found)


def _errors(name: str, row: Row) -> str:
    found, inside, noise, known = errors(row), within(row), apart(row), doubt(row)
    cells = (
        name,
        str(len(found)),
        f"{statistics.median(found):.1%}" if found else "-",
        f"{tenth(found):.1%}" if found else "-",
        f"{sum(inside)} of {len(inside)}",
        f"{drifted(row):.1%}",
        f"{statistics.median(noise):.1%} / {tenth(noise):.1%}",
        f"{statistics.median(known):.1%} / {tenth(known):.1%}",
    )
    return f"| {' | '.join(cells)} |"


def _model(rows: dict[str, Row]) -> Iterator[str]:
    found = sorted(error for row in rows.values() for error in errors(row))
    raw = sorted(e for row in rows.values() for e in errors(row, drift=False))
    inside = [one for row in rows.values() for one in within(row)]
    noise = sorted(one for row in rows.values() for one in apart(row))
    known = sorted(one for row in rows.values() for one in doubt(row))
    yield (
        f"Over {len(found)} points: median {statistics.median(found):.1%}, p90"
        f" {tenth(found):.1%} (with the drift of the machine in it"
        f" {statistics.median(raw):.1%} and {tenth(raw):.1%}); the 90 % interval holds"
        f" {sum(inside) / len(inside):.0%} of them. Two windows of the same setting"
        f" differ by {statistics.median(noise):.1%} in the median, p90"
        f" {tenth(noise):.1%}; the medians that are compared with have a standard"
        f" error of {statistics.median(known):.1%}, p90 {tenth(known):.1%}."
    )
    spent = [row["whatif"]["speed"] for row in rows.values()]
    yield (
        f"\nTo predict 200 settings takes {statistics.median(spent):.2f} s of one CPU"
        f" in the median of the workloads, at most {max(spent):.2f} s."
    )


def _percent(value: float) -> str:
    return f"{value:.1%}".replace("-0.0%", "0.0%")


HEAD = """Each workload has one injected cause. Rates are samples per second; the grid
is `num_workers` 0 to 8 by `prefetch_factor` 2, for 2, 4 and 8 workers also 4 (and
`in_order=False` for stragglers; for slow starts `persistent_workers`, and whole
epochs instead of a steady rate). Each point is the median of three windows, or five
where those differ by more than 5 %, of 0.8 s (1.6 s for stragglers), and up to four
times that where the rate within the window varies. All points have their first
window, then all their second; each is in a process of its own, by a plain loop that
shares no code with pipedoctor, and measured again, at most twice, where other
processes used more than 0.12 CPUs; so are `tune` and `whatif` where they say themselves
that they were disturbed. *Regret* is how far the
recommended setting lies below the best point; what was recommended is measured
again next to the best and the first one, in turns. Below zero is noise, or a
setting outside the grid. A row stays until its workload is measured again."""

RULES = """Regret of each advice. loadtune 0.3.0 gets the same data set, batch size and
`collate_fn`, a model of one number and the same step, 40 steps for each trial (its
default is 100); where its own figures say that nothing it tried is faster than
`num_workers=0`, that is taken. Lightning asks for more workers as long as there are
fewer than `cpu_count`, and for any where there are none: its advice is the column
*cpu_count*. *4* is four workers for each GPU."""

WHATIF = """Errors of one probe of a few seconds, for points that it did not measure.
Two windows of each point are measured before the probe, the others after it.
A machine that is shared with others is faster at times: *drift* is how far its fastest
round of windows lies above the slowest one, by the median of all points, and is
divided out: a prediction is compared with the rate at the time of the probe, unless
it was asked for again after all windows.
*windows differ* is how far the first two windows of a point are apart, and *truth is
known to* the relative standard error of the medians, each median and p90 over the
points: no model can be shown to be nearer than that."""
