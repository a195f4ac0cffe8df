"""docs/benchmarks/tune.md: our advice, that of others, and the errors of the model."""

import os
import platform
import re
import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from _held_page import format_resources, format_setting, percentile_90
from _page import describe_run, format_table
from _truth import rate_errors, rates_at_probe, round_drift

WorkloadRow = dict[str, Any]
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


def render_tune_page(rows: dict[str, WorkloadRow], missing: Sequence[str]) -> str:
    """Everything that was measured, and what was not."""
    import torch

    release = re.match(r"[\d.]*\d", platform.release())
    more = f"Linux {release[0]}" if release else ""
    by = "python benchmarks/tune.py"
    parts = (
        "# Tuning, against the whole grid",
        describe_run(more, f"torch {torch.__version__}", by=by),
        HEAD,
        format_table(GRID, (_format_grid_row(name, row) for name, row in rows.items())),
        "\n".join(_summarize_regret(rows)),
        f"Not measured with this version: {', '.join(missing)}." if missing else "",
        "## Beside loadtune and rules of thumb",
        RULES,
        format_table(RIVALS, (_format_rivals_row(name, row) for name, row in rows.items())),
        "\n".join(_summarize_rivals(rows)),
        "## What-if",
        WHATIF,
        format_table(ERRORS, (_format_errors_row(name, row) for name, row in rows.items())),
        "\n".join(_summarize_errors(rows)),
        *format_resources(rows),
    )
    return "\n\n".join(part for part in parts if part) + "\n"


def median_rate(row: WorkloadRow, setting: WorkloadRow) -> float:
    """The median of all windows of a setting, whoever asked for them."""
    steady = row["grid"]["label"] != "worker-startup"  # then starts do not count
    names = [name for name in setting if not (steady and name == "persistent_workers")]
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
            if all(cell[name] == setting[name] for name in names)
            for window in windows
        )
    )


def best_setting(row: WorkloadRow) -> WorkloadRow:
    """The fastest setting of the grid."""
    cells: list[WorkloadRow] = [
        {key: value for key, value in cell.items() if key not in {"windows", "rate"}}
        for cell in row["grid"]["cells"]
    ]
    return max(cells, key=lambda cell: median_rate(row, cell))


def regret(row: WorkloadRow, cell: WorkloadRow) -> float:
    """How far the rate of a setting lies below the best one."""
    return 1 - median_rate(row, cell) / median_rate(row, best_setting(row))


def tune_regret(row: WorkloadRow) -> float:
    """Regret of what `tune` recommends."""
    return regret(row, row["tune"]["chosen"])


def rule_of_thumb_regret(row: WorkloadRow, workers: int) -> float:
    """Regret of so many workers with everything else as torch has it."""
    cell = {
        "num_workers": workers,
        "prefetch_factor": 2 if workers else None,
        "in_order": True,
        "persistent_workers": False,
    }
    return regret(row, cell)


def loadtune_regret(row: WorkloadRow) -> float | None:
    """Regret of what loadtune recommends; None: it was not asked, or it failed."""
    found = row.get("loadtune", {})
    return regret(row, found["cell"]) if "windows" in found else None


def prediction_errors(row: WorkloadRow, *, drift: bool = True) -> list[float]:
    """Relative errors for cells that the probe did not measure, the smallest first."""
    pairs = zip(rates_at_probe(row, drift=drift), row["whatif"]["cells"], strict=True)
    return sorted(abs(guess["rate"] / rate - 1) for rate, guess in pairs if not guess["measured"])


def interval_hits(row: WorkloadRow) -> list[bool]:
    """For the same cells, whether the interval holds what was measured."""
    pairs = zip(rates_at_probe(row), row["whatif"]["cells"], strict=True)
    return [guess["low"] <= rate <= guess["high"] for rate, guess in pairs if not guess["measured"]]


def window_spread(row: WorkloadRow) -> list[float]:
    """How far two windows of the same cell are apart."""
    cells = row["grid"]["cells"]
    pairs = (cell["windows"][:2] for cell in cells)
    return sorted(max(pair) / min(pair) - 1 for pair in pairs)


def is_cause_right(row: WorkloadRow) -> bool:
    """Does `tune` name the cause that was injected?"""
    return bool(row["grid"]["label"] == row["tune"]["bottleneck"])


def _format_grid_row(name: str, row: WorkloadRow) -> str:
    tune, found = row["tune"], best_setting(row)
    wrong = "" if is_cause_right(row) else f" (is {row['grid']['label']})"
    bound = f", {tune['bound']}" if tune["bound"] else ""
    cells = (
        f"{name}{bound}",
        f"{tune['bottleneck']}{wrong}",
        f"{median_rate(row, tune['current']):,.0f}",
        f"{median_rate(row, found):,.0f} ({format_setting(found)})",
        f"{median_rate(row, tune['chosen']):,.0f} ({format_setting(tune['chosen'])})",
        _format_percent(tune_regret(row)),
    )
    return f"| {' | '.join(cells)} |"


def _summarize_regret(rows: dict[str, WorkloadRow]) -> Iterator[str]:
    number = len(rows)
    regrets = [max(0.0, tune_regret(row)) for row in rows.values()]
    spent = [row["tune"]["spent"] for row in rows.values()]
    share = [row["tune"]["spent"] / row["grid"]["seconds"] for row in rows.values()]
    slower = [name for name, row in rows.items() if _is_slower(row)]
    yield f"Over {number} workloads:\n"
    yield (
        f"- regret of the recommended setting: median {statistics.median(regrets):.1%},"
        f" worst {max(regrets):.1%};"
    )
    yield (f"- the cause is named right in {sum(map(is_cause_right, rows.values()))} of {number};")
    yield f"- slower than the setting that was there: {', '.join(slower) or 'none'};"
    yield (
        f"- a run takes {statistics.median(spent):.0f} s in the median, at most"
        f" {max(spent):.0f} s, the import of torch included:"
        f" {statistics.median(share):.0%} of the time of this grid."
    )


def _is_slower(row: WorkloadRow) -> bool:
    windows = row["tune"]["windows"]
    same = row["tune"]["chosen"] == row["tune"]["current"]
    return not same and max(windows["chosen"]) < min(windows["start"])


def _format_rivals_row(name: str, row: WorkloadRow) -> str:
    found = row.get("loadtune", {})
    behind = loadtune_regret(row)
    it = "-" if behind is None else f"{_format_percent(behind)} ({format_setting(found['cell'])})"
    rules = (_format_percent(rule_of_thumb_regret(row, workers)) for workers in (0, _CPUS, 4))
    return f"| {' | '.join((name, _format_percent(tune_regret(row)), it, *rules))} |"


def _summarize_rivals(rows: dict[str, WorkloadRow]) -> Iterator[str]:
    ways = {
        "`pipedoctor tune`": [tune_regret(row) for row in rows.values()],
        "loadtune": [one for row in rows.values() if (one := loadtune_regret(row)) is not None],
        "`num_workers=0`": [rule_of_thumb_regret(row, 0) for row in rows.values()],
        "`num_workers=cpu_count`": [rule_of_thumb_regret(row, _CPUS) for row in rows.values()],
        "`num_workers=4` for each GPU": [rule_of_thumb_regret(row, 4) for row in rows.values()],
    }
    for name, found in ways.items():
        if found:
            yield (
                f"- {name}: median {_format_percent(statistics.median(found))}, worst"
                f" {_format_percent(max(found))}; within 2 % of the best in"
                f" {_count_within(found, 0.02)}, within 8 % in {_count_within(found, 0.08)} of"
                f" {len(found)};"
            )
    spent = [
        row["loadtune"]["seconds"] for row in rows.values() if "windows" in row.get("loadtune", {})
    ]
    if spent:
        yield f"- loadtune takes {statistics.median(spent):.0f} s in the median."


def _count_within(regrets: list[float], most: float) -> int:
    """Count the regrets that do not exceed this."""
    return sum(value <= most for value in regrets)


def _format_errors_row(name: str, row: WorkloadRow) -> str:
    found, inside, noise, known = (
        prediction_errors(row),
        interval_hits(row),
        window_spread(row),
        rate_errors(row),
    )
    cells = (
        name,
        str(len(found)),
        f"{statistics.median(found):.1%}" if found else "-",
        f"{percentile_90(found):.1%}" if found else "-",
        f"{sum(inside)} of {len(inside)}",
        f"{round_drift(row):.1%}",
        f"{statistics.median(noise):.1%} / {percentile_90(noise):.1%}",
        f"{statistics.median(known):.1%} / {percentile_90(known):.1%}",
    )
    return f"| {' | '.join(cells)} |"


def _summarize_errors(rows: dict[str, WorkloadRow]) -> Iterator[str]:
    found = sorted(error for row in rows.values() for error in prediction_errors(row))
    raw = sorted(e for row in rows.values() for e in prediction_errors(row, drift=False))
    inside = [one for row in rows.values() for one in interval_hits(row)]
    noise = sorted(one for row in rows.values() for one in window_spread(row))
    known = sorted(one for row in rows.values() for one in rate_errors(row))
    yield (
        f"Over {len(found)} points: median {statistics.median(found):.1%}, p90"
        f" {percentile_90(found):.1%} (with the drift of the machine in it"
        f" {statistics.median(raw):.1%} and {percentile_90(raw):.1%}); the 90 % interval holds"
        f" {sum(inside) / len(inside):.0%} of them. Two windows of the same setting"
        f" differ by {statistics.median(noise):.1%} in the median, p90"
        f" {percentile_90(noise):.1%}; the medians that are compared with have a standard"
        f" error of {statistics.median(known):.1%}, p90 {percentile_90(known):.1%}."
    )
    spent = [row["whatif"]["speed"] for row in rows.values()]
    yield (
        f"\nTo predict 200 settings takes {statistics.median(spent):.2f} s of one CPU"
        f" in the median of the workloads, at most {max(spent):.2f} s."
    )


def _format_percent(value: float) -> str:
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

RULES = """Regret of each advice. loadtune 0.3.0 gets the same dataset, batch size and
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
*windows differ* is how far the first two windows of a point are apart, and *rates_at_probe is
known to* the relative standard error of the medians, each median and p90 over the
points: no model can be shown to be nearer than that."""
