"""Pipelines whose remedies are priced."""

from typing import Any

from pipedoctor.facts import (
    Pipeline,
)
from tests.tune.seen import costs, pipeline, setting, trial, window

WAITS = {"fetch_wall": 0.1, "fetch_cpu": 0.002, "fetch_process": 0.002}
FREE = window(own=0.1)


def waits(**values: Any) -> Pipeline:
    """Every batch waits 0.1 s, side by side with others."""
    found = costs(**WAITS)
    return pipeline(
        trial(0, 0.102, costs=found, window=FREE),
        trial(1, 0.103, costs=found, window=FREE),
        trial(4, 0.026, costs=found, window=FREE),
        **{"samples": 1600, "best": setting(4), **values},
    )


def computes(**values: Any) -> Pipeline:
    usual = trial(0, 0.02), trial(1, 0.02), trial(2, 0.01)
    return pipeline(*values.pop("trials", usual), **{"samples": 1600, **values})
