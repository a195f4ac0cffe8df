"""
A labelled loop with the marks in its code that another tool asks for.

``python _marked_loop.py TOOL NAME SECONDS``: TOOL is `traceml` or `train-doctor`, NAME a
loop of tests/watch/loops/loop.py. Run by ``benchmarks/watch.py`` with the Python of that tool.
"""

import contextlib
import importlib
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "watch" / "loops"))


def main() -> None:
    """Step after step, each with its marks."""
    tool, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(1)
    begin_step, end_step = _prepare_marks(tool, torch)
    loop: Any = importlib.import_module("loop")
    make, step = loop.loops()[name]
    end = time.perf_counter() + seconds
    for batch in make():
        with begin_step():
            step(batch)
        end_step()
        if time.perf_counter() > end:
            break


def _prepare_marks(
    tool: str, torch: Any
) -> tuple[Callable[[], contextlib.AbstractContextManager[Any]], Callable[[], Any]]:
    if tool == "traceml":
        traceml: Any = importlib.import_module("traceml_ai")
        traceml.init(mode="auto")
        model = torch.nn.Linear(1, 1)
        return lambda: traceml.trace_step(model), lambda: None
    doctor: Any = importlib.import_module("train_doctor")
    return contextlib.nullcontext, lambda: doctor.step(samples=1, device="cpu")


if __name__ == "__main__":
    main()
