"""What pipedoctor itself says of a workload: `tune`, and the model behind `whatif`."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _loop import LoaderArguments
from msgspec.structs import replace

from pipedoctor.facts import Facts, Pipeline
from pipedoctor.tune.compare import whatif
from pipedoctor.tune.compare.remedy_gain import estimate_epoch
from pipedoctor.tune.model.predict import ThroughputModel
from pipedoctor.tune.model.simulate import clear_cache
from pipedoctor.tune.search.tuning import TuningRequest, open_search

HELD = (
    "shm_bytes",
    "memory_bytes",
    "descriptors",
    "most_descriptors",
    "first_batch_seconds",
)
ARGUMENTS = ("num_workers", "prefetch_factor", "in_order", "persistent_workers")


def run_tune(target: str, options: tuple[str, ...]) -> dict[str, Any]:
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


def predict_resources(
    facts: dict[str, Any], cells: list[LoaderArguments]
) -> list[dict[str, float]]:
    """Predict the resources of settings from the facts of a probe."""
    seen = _read_pipeline(facts)
    model = ThroughputModel(pipeline=seen)
    guesses = [model.predict(replace(seen.start, **cell)) for cell in cells]
    return [
        {
            **{name: getattr(guess, name) for name in HELD},
            "between": {name: list(ends) for name, ends in guess.intervals.items()},
        }
        for guess in guesses
    ]


def run_probe(target: str, options: tuple[str, ...]) -> dict[str, Any]:
    """One probe of a few seconds, and how often others disturbed it."""
    step = options[1] if options else ""
    order = TuningRequest(target=target, step=step, max_workers=8)
    with open_search(order) as (search, _):
        whatif.probe_pipeline(search)
    seen = search.build_pipeline()
    disturbed = sum(bool(trial.disturbance) for trial in seen.trials)
    return {"facts": Facts(seen).to_record(), "disturbed": disturbed}


def predict_rates(
    facts: dict[str, Any], cells: list[LoaderArguments], *, epochs: bool
) -> list[dict[str, Any]]:
    """Predict the rate of every cell, and tell which the probe measured."""
    seen = _read_pipeline(facts)
    model = ThroughputModel(pipeline=seen)
    rows: list[dict[str, Any]] = []
    for cell in cells:
        wanted = replace(seen.start, **cell)
        guess = model.predict(wanted)
        rate, low, high = guess.samples_per_second, guess.low, guess.high
        if epochs:
            whole = (seen.samples or 0) / estimate_epoch(seen, wanted).seconds
            rate, low, high = whole, whole * low / rate, whole * high / rate
        rows.append({"rate": rate, "low": low, "high": high, "measured": guess.measured})
    return rows


def time_predictions(facts: dict[str, Any]) -> float:
    """Seconds of this process to predict 200 settings that it has never seen."""
    seen = _read_pipeline(facts)
    settings = [
        replace(seen.start, num_workers=w, prefetch_factor=p, in_order=o)
        for w in range(1, 26)
        for p in (2, 4, 8, 16)
        for o in (True, False)
    ]
    clear_cache()
    begin = time.process_time()
    model = ThroughputModel(pipeline=seen)
    for one in settings:
        model.predict(one)
    return time.process_time() - begin


def _read_pipeline(facts: dict[str, Any]) -> Pipeline:
    seen = Facts.from_record(facts).get(Pipeline)
    assert isinstance(seen, Pipeline)
    return seen
