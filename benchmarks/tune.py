"""
PipeBench: loaders with a known cause; `tune` and `whatif` against the whole grid.

    python benchmarks/tune.py NAMES... >> results.jsonl    measure some workloads
    python benchmarks/tune.py --table results.jsonl        write docs/benchmarks/tune.md

Each grid point is measured by a plain loop in a process of its own, which shares no
code with pipedoctor. Run it on an idle machine.
"""

import datetime as dt
import importlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
WORKLOADS = HERE / "tests/tune/workloads/labelled.py"
WORKERS = (1, 2, 3, 4, 6, 8)
PREFETCH = (2, 4)
SECONDS = 1.0


def workloads() -> Any:
    """The module with the labelled loaders."""
    sys.path.insert(0, str(WORKLOADS.parent))
    return importlib.import_module("labelled")


def rate(make: Any, step: Any, setting: dict[str, Any], seconds: float) -> float:
    """Samples per second of a plain loop, in a forked process."""
    back, out = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.write(out, json.dumps(_loop(make, step, setting, seconds)).encode())
        finally:
            os._exit(0)
    os.close(out)
    with os.fdopen(back) as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    return float(text or "nan")


def _loop(make: Any, step: Any, setting: dict[str, Any], seconds: float) -> float:
    from torch.utils.data import DataLoader, RandomSampler

    warnings.simplefilter("ignore")
    made = make()
    size, workers = made.batch_size, setting["num_workers"]
    extra: dict[str, Any] = {"prefetch_factor": setting["prefetch_factor"]}
    if not workers:
        extra = {}
    order = RandomSampler(made.dataset, replacement=True, num_samples=10**6)
    loader = DataLoader(
        made.dataset,
        batch_size=size,
        sampler=order,
        num_workers=workers,
        collate_fn=made.collate_fn,
        in_order=setting["in_order"],
        **extra,
    )
    batches = iter(loader)
    for _ in range(workers * (setting["prefetch_factor"] or 0) + 2):
        step(next(batches))
    done, begin = 0, time.perf_counter()
    while True:
        step(next(batches))
        done += 1
        spent = time.perf_counter() - begin
        if spent > seconds and done % max(1, workers) == 0 and done > 2 * workers:
            return done * size / spent


def consumer(options: tuple[str, ...]) -> Any:
    """The step that the options describe."""
    if "--step-seconds" in options:
        pause = float(options[1])
        return lambda _: time.sleep(pause)
    if "--step" in options:
        return getattr(workloads(), options[1].rpartition(":")[2])
    return lambda _: None


def grid() -> list[dict[str, Any]]:
    """Every setting that is measured."""
    cells = [{"num_workers": 0, "prefetch_factor": None, "in_order": True}]
    for workers in WORKERS:
        for prefetch in PREFETCH:
            cells.append(  # noqa: PERF401
                {"num_workers": workers, "prefetch_factor": prefetch, "in_order": True}
            )
    return cells


def measure(name: str) -> dict[str, Any]:
    """The grid, the recommendation and the predictions of one workload."""
    module = workloads()
    label, options = module.LABELS[name]
    make, step = getattr(module, name), consumer(options)
    cells = grid()
    if label == "stragglers":
        cells += [
            {**c, "in_order": False} for c in cells if c["num_workers"] in (2, 3, 4)
        ]
    seconds = SECONDS * (2 if label == "stragglers" else 1)
    begin = time.perf_counter()
    for cell in cells:
        cell["rate"] = rate(make, step, cell, seconds)
    cost = time.perf_counter() - begin
    tuned = _tuned(name, options)
    chosen = {
        key: tuned["recommended"][key]
        for key in ("num_workers", "prefetch_factor", "in_order")
    }
    start = tuned["current"]
    best = max(cells, key=lambda cell: float(cell["rate"]))
    compared = [chosen, best, start]
    rates = [[rate(make, step, c, seconds) for c in compared] for _ in range(2)]
    again, top, first = (max(values) for values in zip(*rates, strict=True))
    same = [c["rate"] for c in cells if _same(c, chosen)]
    best["rate"] = max(best["rate"], top)
    again = max(again, *same, top if _same(best, chosen) else 0)
    return {
        "name": name,
        "label": label,
        "grid": cells,
        "grid_seconds": cost,
        "chosen": chosen,
        "chosen_rate": again,
        "start_rate": first,
        "tune_seconds": tuned["spent_seconds"],
        "confidence": tuned["confidence"],
        "bottleneck": tuned["bottleneck"],
        "disturbed": sum(bool(t["disturbed"]) for t in tuned["trials"]),
        "errors": _errors(name, options, cells),
    }


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(
        one[key] == other[key] for key in ("num_workers", "prefetch_factor", "in_order")
    )


def _tuned(name: str, options: tuple[str, ...]) -> dict[str, Any]:
    with tempfile.NamedTemporaryFile() as file:
        argv = ["pipedoctor", "tune", f"{WORKLOADS}:{name}", *options]
        argv += ["--max-workers", "8", "--format", "json", "-o", file.name]
        subprocess.run(argv, check=False)
        found: dict[str, Any] = json.loads(Path(file.name).read_text())
        return found


def _errors(
    name: str, options: tuple[str, ...], cells: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """What `whatif` predicts for each cell from its probe, against the grid."""
    from msgspec.structs import replace  # noqa: PLC0415

    from pipedoctor.tune import whatif  # noqa: PLC0415
    from pipedoctor.tune.predict import Model  # noqa: PLC0415
    from pipedoctor.tune.tuning import Order, probed  # noqa: PLC0415

    step = options[1] if options else ""
    order = Order(target=f"{WORKLOADS}:{name}", step=step, max_workers=8)
    with probed(order) as (search, _):
        whatif.probe(search)
    model = Model(seen=search.pipeline())
    found: list[dict[str, Any]] = []
    for cell in cells:
        setting = {key: value for key, value in cell.items() if key != "rate"}
        guess = model.predict(replace(search.start, **setting))
        found.append(
            {
                **setting,
                "error": guess.samples_per_second / cell["rate"] - 1,
                "inside": guess.low <= cell["rate"] <= guess.high,
                "measured": guess.measured,
            }
        )
    return found


def table(lines: list[dict[str, Any]]) -> str:
    """The page of all results; of a workload that was measured twice, the last."""
    rows = list({line["name"]: line for line in lines}.values())
    out = [
        HEAD.format(date=dt.datetime.now(dt.timezone.utc).date(), machine=_machine())
    ]
    out.extend((COLUMNS, "|---" * 11 + "|"))
    for row in rows:
        out.append(_row(row))  # noqa: PERF401
    regrets = [max(0.0, regret(row, row["chosen_rate"])) for row in rows]
    errors = sorted(
        abs(e["error"]) for row in rows for e in row["errors"] if not e["measured"]
    )
    inside = [e["inside"] for row in rows for e in row["errors"] if not e["measured"]]
    right = sum(row["label"] == row["bottleneck"] for row in rows)
    rules = [
        [regret(row, cell_rate(row, workers)) for row in rows] for workers in (0, 2, 4)
    ]
    out.append(
        FOOT.format(
            number=len(rows),
            median=statistics.median(regrets),
            most=max(regrets),
            right=right,
            points=len(errors),
            error=statistics.median(errors),
            p90=errors[int(0.9 * (len(errors) - 1))],
            inside=sum(inside) / len(inside),
            rules="; ".join(
                f"`num_workers={w}` median {statistics.median(r):.1%}, "
                f"worst {max(r):.1%}"
                for w, r in zip(("0", "cpu_count", "4"), rules, strict=True)
            ),
            cost=statistics.median(r["tune_seconds"] for r in rows),
        )
    )
    return "\n".join(out)


COLUMNS = (
    "| workload | cause found | start | best of grid | recommended | regret | "
    "`num_workers=0` | `cpu_count` | 4 | what-if error, median / p90 | spent |"
)


def cell_rate(row: dict[str, Any], workers: int) -> float:
    """The grid's rate with so many workers and prefetch_factor=2."""
    return next(
        float(c["rate"])
        for c in row["grid"]
        if c["num_workers"] == workers and c["prefetch_factor"] in (2, None)
    )


def regret(row: dict[str, Any], found: float) -> float:
    """How far below the best of the grid."""
    best = max(c["rate"] for c in row["grid"])
    return 1 - found / best


def _row(row: dict[str, Any]) -> str:
    best = max(row["grid"], key=lambda c: c["rate"])
    errors = sorted(abs(e["error"]) for e in row["errors"] if not e["measured"])
    chosen = row["chosen"]
    top = f"{best['rate']:,.0f} ({_said(best)})"
    found = f"{row['chosen_rate']:,.0f} ({_said(chosen)})"
    right = "" if row["label"] == row["bottleneck"] else f" (is {row['label']})"
    return (
        f"| {row['name']} | {row['bottleneck']}{right} | {row['start_rate']:,.0f} | "
        f"{top} | {found} | "
        f"{regret(row, row['chosen_rate']):.1%} | "
        f"{regret(row, cell_rate(row, 0)):.1%} | "
        f"{regret(row, cell_rate(row, 2)):.1%} | "
        f"{regret(row, cell_rate(row, 4)):.1%} | {statistics.median(errors):.1%} / "
        f"{errors[int(0.9 * (len(errors) - 1))]:.1%} | {row['tune_seconds']:.0f} s |"
    )


def _said(cell: dict[str, Any]) -> str:
    if not cell["num_workers"]:
        return "0"
    mark = "" if cell["in_order"] else " unordered"
    return f"{cell['num_workers']}x{cell['prefetch_factor']}{mark}"


def _machine() -> str:
    import torch

    return (
        f"{os.cpu_count()} CPUs, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, torch {torch.__version__}"
    )


HEAD = """# Tuning, against the whole grid

Written by `python benchmarks/tune.py --table` on {date}: {machine}.

Each workload has one injected cause. Rates are samples per second; the grid is
`num_workers` 0 to 8 by `prefetch_factor` 2 and 4 (and `in_order=False` for stragglers),
each point measured for a second by a plain loop that shares no code with pipedoctor.
*Regret* is how far a setting lies below the best point of the grid; two measurements
of the same setting differ by 1 to 3 %, so a small regret of either sign is noise. The
what-if error is that of a probe of a few seconds, for points that it did not measure.
A row stays until its workload is measured again: rows may come from several revisions.
"""

FOOT = """
Over {number} workloads:

- regret of the recommended setting: median {median:.1%}, worst {most:.1%};
- of rules of thumb: {rules};
- the cause is named right in {right} of {number};
- what-if error over {points} points that were not measured: median {error:.1%},
  p90 {p90:.1%}; the 90 % interval holds {inside:.0%} of them;
- a run takes {cost:.0f} s in the median, the import of torch included.

Not in it: quotas, allocators and slow starts, whose grids say nothing of their cause,
and loadtune, which wants data set, model and step wrapped in a class of its own.
"""


def main() -> None:
    """Measure the workloads that are named, or write the page."""
    if sys.argv[1] == "--table":
        lines = [
            json.loads(line) for line in Path(sys.argv[2]).read_text().splitlines()
        ]
        (HERE / "docs/benchmarks/tune.md").write_text(table(lines))
        return
    for name in sys.argv[1:]:
        print(json.dumps(measure(name)), flush=True)


if __name__ == "__main__":
    main()
