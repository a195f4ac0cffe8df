"""Jobs as they might have been watched."""

from typing import Any

from pipedoctor.facts import LiveJob, LiveProcess, Trend

MIB = 1 << 20


def trend(first: float, last: float, **more: Any) -> Trend:
    figures: dict[str, Any] = {
        "per_second": (last - first) / 60,
        "steadiness": 0.99,
        "readings": 20,
    }
    return Trend(first=first, last=last, **figures | more)


def process(pid: int = 11, **more: Any) -> LiveProcess:
    role: dict[str, Any] = {"role": "worker", "main_pid": 10, "state": "S"}
    return LiveProcess(pid=pid, **role | more)


def main(**more: Any) -> LiveProcess:
    return LiveProcess(pid=10, role="main", main_pid=10, **more)


def job(*processes: LiveProcess, **more: Any) -> LiveJob:
    return LiveJob(pid=10, seconds=60.0, processes=processes or (main(),), **more)
