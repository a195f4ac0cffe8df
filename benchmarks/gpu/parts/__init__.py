"""The parts of a run, in the order in which they are worth their time."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.gpu.session import Session

LIMIT = 235.0
"""Seconds after which any part is ended."""


@dataclass(frozen=True)
class Part:
    """One module of this folder, which has `measure(session)`."""

    name: str
    title: str
    typical: float
    """Seconds that it takes on a machine with 16 CPUs."""


PARTS = {
    part.name: part
    for part in (
        Part("facts", "Facts: the driver's library against nvidia-smi", 75.0),
        Part("tests", "Tests that need a GPU", 75.0),
        Part("transfer", "Copies to the GPU", 95.0),
        Part("tune", "tune and whatif with a ResNet-18 step", 205.0),
        Part("watch", "watch on labelled loops", 140.0),
        Part("faults", "Faults that can be made", 110.0),
    )
}


def load_part(name: str) -> Callable[[Session], None] | None:
    """What does it; None where it is not written yet."""
    try:
        module = importlib.import_module(f"benchmarks.gpu.parts.{name}")
    except ModuleNotFoundError:
        return None
    measure: Callable[[Session], None] = module.measure
    return measure
