"""Lines over time of a job that was watched, as polylines of an inline SVG."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipedoctor.report.model import Report
from pipedoctor.units import format_size

WIDTH, HEIGHT = 600.0, 60.0
_MIN_POINTS = 2


@dataclass(frozen=True, kw_only=True)
class TimelineChart:
    """One number: `points` are those of a polyline, 600 wide and 60 high."""

    name: str
    points: str
    highest: str
    last: str
    seconds: float


def _format_share(value: float) -> str:
    return f"{value:.0%}"


def _format_count(value: float) -> str:
    return f"{value:.3g}"


def _format_rate(value: float) -> str:
    return f"{format_size(round(value))}/s"


_CHARTS: Sequence[tuple[str, str, float | None, Callable[[float], str]]] = (
    ("data_wait", "waiting for data", 1.0, _format_share),
    ("gpu", "GPU busy", 1.0, _format_share),
    ("workers_cpu", "CPUs that workers keep busy", None, _format_count),
    ("read_bytes", "read from disks", None, _format_rate),
    ("shm", "/dev/shm in use", None, lambda value: format_size(round(value))),
    ("descriptors", "open descriptors, the most of a process", None, _format_count),
)
"""Field of a point, words, the top of the chart (None: the highest value), format."""


def build_timeline(report: Report) -> list[TimelineChart]:
    """A chart for each number that is known; none where nothing was watched."""
    points = _list_points(report.facts.known)
    return list(_build_charts(points))


def _list_points(facts: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    found = facts.get("live", {}).get("timeline", ())
    return [point for point in found if isinstance(point, Mapping)]  # type: ignore[misc]


def _build_charts(points: Sequence[Mapping[str, Any]]) -> Iterator[TimelineChart]:
    for field, name, top, form in _CHARTS:
        rows = [(p["seconds"], p[field]) for p in points if p.get(field) is not None]
        if len(rows) < _MIN_POINTS:
            continue
        begin, end = rows[0][0], rows[-1][0]
        highest = max(value for _, value in rows)
        scale = max(top or highest, highest) or 1.0
        length = max(end - begin, 1e-9)
        yield TimelineChart(
            name=name,
            points=" ".join(
                f"{WIDTH * (when - begin) / length:.1f},{HEIGHT * (1 - value / scale):.1f}"
                for when, value in rows
            ),
            highest=form(highest),
            last=form(rows[-1][1]),
            seconds=end - begin,
        )
