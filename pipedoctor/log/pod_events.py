"""Events of Kubernetes that are over."""

import math
import re
from collections.abc import Iterator

from pipedoctor.lazy_pattern import compile_lazily

_EVENT = compile_lazily(
    r"^(?P<age>(?:\d+[dhms]){1,3})\s+(?:\(x\d+ over \w+\)\s+)?(?:Normal|Warning)\s+"
    r"(?P<reason>\w+)\s+(?P<object>\S+)"
)
"""A row of ``kubectl get events``, in whatever order."""
_STARTS = {"Scheduled", "Started", "Completed"}
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}


def find_started(rows: list[str]) -> Iterator[int]:
    """What Kubernetes warned of before the object has started."""
    events = [
        (number, found, _count_seconds(found["age"]))
        for number, row in enumerate(rows, 1)
        if (found := _EVENT.match(row))
    ]
    started = {
        one["object"]: age
        for _, one, age in sorted(events, key=lambda event: -event[2])
        if one["reason"] in _STARTS
    }
    for number, one, age in events:
        if age > started.get(one["object"], math.inf):
            yield number


def _count_seconds(age: str) -> int:
    """Of ``6m10s``."""
    return sum(int(number) * _SECONDS[unit] for number, unit in re.findall(r"(\d+)([dhms])", age))
