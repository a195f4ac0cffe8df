"""What pipedoctor itself says of a workload: `tune`, and the model behind `whatif`."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _loop import Setting
from msgspec.structs import replace

from pipedoctor.facts import Facts, Pipeline
from pipedoctor.tune import whatif
from pipedoctor.tune.predict import Model
from pipedoctor.tune.price import epoch
from pipedoctor.tune.simulate import forget
from pipedoctor.tune.tuning import Order, probed

HELD = (
    "shm_bytes",
    "memory_bytes",
    "descriptors",
    "most_descriptors",
    "first_batch_seconds",
)
ARGUMENTS = ("num_workers", "prefetch_factor", "in_order", "persistent_workers")


def tuned(target: str, options: tuple[str, ...]) -> dict[str, Any]:
    """The report of `pipedoctor tune`, in the process that a user would start."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tune.json"
        argv = [sys.executable, "-m", "pipedoctor", "tune", target, *options]
        argv += ["--max-workers", "8", "--format", "json", "-o", str(file)]
        subprocess.run(argv, check=False, capture_output=True)
        found: dict[str, Any] = json.loads(file.read_text())
    return {
        "chosen": {name: found["recommended"][name] for name in ARGUMENTS},
        "current": {name: found["current"][name] for name in ARGUMENTS},
        "spent": found["spent_seconds"],
        "bottleneck": found["bottleneck"],
        "disturbed": sum(bool(t["disturbed"]) for t in found["trials"]),
        "trials": [
            {key: trial[key] for key in (*ARGUMENTS[:3], "samples_per_second")}
            for trial in found["trials"]
        ],
    }


def promised(facts: dict[str, Any], cells: list[Setting]) -> list[dict[str, float]]:
    """What the model says that settings hold, by what it was probed with."""
    seen = _pipeline(facts)
    model = Model(seen=seen)
    guesses = [model.predict(replace(seen.start, **cell)) for cell in cells]
    return [
        {
            **{name: getattr(guess, name) for name in HELD},
            "between": {name: list(ends) for name, ends in guess.between.items()},
        }
        for guess in guesses
    ]


def probe(target: str, options: tuple[str, ...]) -> dict[str, Any]:
    """One probe of a few seconds, and how often others disturbed it."""
    step = options[1] if options else ""
    order = Order(target=target, step=step, max_workers=8)
    with probed(order) as (search, _):
        whatif.probe(search)
    seen = search.pipeline()
    disturbed = sum(bool(trial.disturbed) for trial in seen.trials)
    return {"facts": Facts(seen).to_record(), "disturbed": disturbed}


def foretold(
    facts: dict[str, Any], cells: list[Setting], *, epochs: bool
) -> list[dict[str, Any]]:
    """What a probe predicts for every cell, and which of them it has measured."""
    seen = _pipeline(facts)
    model = Model(seen=seen)
    rows: list[dict[str, Any]] = []
    for cell in cells:
        wanted = replace(seen.start, **cell)
        guess = model.predict(wanted)
        rate, low, high = guess.samples_per_second, guess.low, guess.high
        if epochs:
            whole = (seen.samples or 0) / epoch(seen, wanted).seconds
            rate, low, high = whole, whole * low / rate, whole * high / rate
        rows.append(
            {"rate": rate, "low": low, "high": high, "measured": guess.measured}
        )
    return rows


def speed(facts: dict[str, Any]) -> float:
    """Seconds of this process to predict 200 settings that it has never seen."""
    seen = _pipeline(facts)
    settings = [
        replace(seen.start, num_workers=w, prefetch_factor=p, in_order=o)
        for w in range(1, 26)
        for p in (2, 4, 8, 16)
        for o in (True, False)
    ]
    forget()
    begin = time.process_time()
    model = Model(seen=seen)
    for one in settings:
        model.predict(one)
    return time.process_time() - begin


def _pipeline(facts: dict[str, Any]) -> Pipeline:
    seen = Facts.from_record(facts).get(Pipeline)
    assert isinstance(seen, Pipeline)
    return seen
