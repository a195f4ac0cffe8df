"""How numbers grow: readings at any times, bounded in number, and their line."""

import math

from pipedoctor.facts import Trend

_MAX_POINTS = 128


class TimeSeries:
    """Readings of one number; of too many, every other one is dropped."""

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self._points: list[tuple[float, float]] = []
        self._stride, self._skipped = 1, 0
        self._last: tuple[float, float] | None = None
        self._trend: Trend | None = None

    def add(self, when: float, value: float) -> None:
        """Remember a reading."""
        self._last, self._trend = (when, value), None
        self._skipped += 1
        if self._skipped < self._stride:
            return
        self._skipped = 0
        self._points.append((when, value))
        if len(self._points) > _MAX_POINTS:
            self._points = self._points[::2]
            self._stride *= 2

    @property
    def last(self) -> float | None:
        """The newest reading."""
        return self._last[1] if self._last else None

    def compute_trend(self) -> Trend | None:
        """First, last, and the line of least squares; None without a reading."""
        if self._trend is not None or self._last is None or not self._points:
            return self._trend
        slope, fit = _fit_line(self._points)
        self._trend = Trend(
            first=self._points[0][1],
            last=self._last[1],
            per_second=slope,
            steadiness=fit,
            readings=len(self._points),
            limit=self.limit,
        )
        return self._trend


def _fit_line(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Slope, and the square of the correlation."""
    count = len(points)
    x = sum(p[0] for p in points) / count
    y = sum(p[1] for p in points) / count
    xx = sum((p[0] - x) ** 2 for p in points)
    yy = sum((p[1] - y) ** 2 for p in points)
    xy = sum((p[0] - x) * (p[1] - y) for p in points)
    if xx <= 0 or yy <= 0 or not math.isfinite(yy):
        return 0.0, 0.0
    return xy / xx, xy * xy / (xx * yy)
