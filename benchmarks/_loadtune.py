"""
What loadtune recommends: run with its own Python, prints one line of JSON.

    python benchmarks/_loadtune.py FILE.py:CALLABLE STEP

Dataset, batch size and collate_fn are the workload's; the step is its consumer, and
the model a single number, so that nothing but the loader decides.
"""

import importlib
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

STEPS = 40
"""Of each trial, after ten to warm up: by default there would be a hundred."""


def make_step(module: Any, step: str) -> Any:
    """The step that the second argument describes."""
    try:
        seconds = float(step or 0)
    except ValueError:
        return getattr(module, step.rpartition(":")[2])
    return lambda _: time.sleep(seconds) if seconds else None


def _load_module(target: str) -> tuple[Any, str]:
    file, _, name = target.rpartition(":")
    sys.path.insert(0, str(Path(file).parent))
    return importlib.import_module(Path(file).stem), name


def main() -> None:
    """Tune one workload."""
    import torch

    its: Any = importlib.import_module("loadtune")

    warnings.simplefilter("ignore")
    module, name = _load_module(sys.argv[1])
    made, use = getattr(module, name)(), make_step(module, sys.argv[2])

    def train_step(_model: Any, _optimizer: Any, batch: Any, _device: Any) -> Any:
        use(batch)
        return torch.zeros(())

    workload = its.Workload(
        name=name,
        make_dataset=lambda: made.dataset,
        make_model=lambda: torch.nn.Linear(1, 1),
        train_step=train_step,
        make_optimizer=lambda model: torch.optim.SGD(model.parameters(), lr=0.1),
        default_batch_size=made.batch_size,
        collate_fn=made.collate_fn,
    )
    begin = time.monotonic()
    found = its.tune(workload, steps=STEPS, verbose=False)
    best = found.best.knobs if found.best and found.speedup > 1 else None
    print(
        json.dumps(
            {
                "num_workers": best.num_workers if best else 0,
                "prefetch_factor": (best.prefetch_factor if best else None) or 2,
                "persistent_workers": bool(best and best.persistent_workers),
                "threads": best.num_threads if best else None,
                "said": found.diagnosis,
                "seconds": time.monotonic() - begin,
            }
        )
    )


if __name__ == "__main__":
    main()
