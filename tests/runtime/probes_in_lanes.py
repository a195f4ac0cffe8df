"""Probes that answer or hang, run in lanes of both kinds."""

import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from pipedoctor.runtime import lanes, threads
from pipedoctor.runtime.lanes import Announce, Outcome

Run = Callable[..., dict[str, Outcome]]

both = pytest.mark.parametrize(
    "run",
    [
        pytest.param(lanes.run_in_processes, id="children"),
        pytest.param(threads.run_in_threads, id="threads"),
    ],
)


def soon(seconds: float = 10.0) -> float:
    return time.monotonic() + seconds


def returns(value: object) -> Callable[[Announce], object]:
    return lambda _: value


def sleeps(seconds: float, doing: str = "") -> Callable[[Announce], object]:
    def work(announce: Announce) -> object:
        if doing:
            announce(doing)
        time.sleep(seconds)
        return "woke up"

    return work


def descriptors() -> set[str]:
    return {entry.name for entry in Path("/proc/self/fd").iterdir()}


def children() -> set[int]:
    """Ours, zombies among them; other tests may have left a resource tracker."""
    return {child.pid for child in psutil.Process().children()}
