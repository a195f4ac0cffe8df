"""How long a worker takes for its batches, by the number of the batch that looks show."""

from collections import deque

_MAX_ROWS = 1000
_MAX_GAP_SECONDS = 10.0
"""Between two looks: after longer ones nobody knows what was between."""
_MAX_BATCHES = 200
"""Batches in one gap that are counted."""


class BatchTimes:
    """
    Seconds between the batches of one worker, as often as there were such batches.

    Of batches that end between two looks only their mean is known.
    """

    def __init__(self) -> None:
        self._rows: deque[tuple[float, int]] = deque(maxlen=_MAX_ROWS)
        self._batch: int | None = None
        self._since = self._last = 0.0

    def observe_batch(self, now: float, batch: int, workers: int) -> int:
        """
        It makes this batch now; how many it has begun since the last look.

        Loaders hand batches out in turn: to each worker every so many, as there are workers.
        """
        before, gap = self._batch, now - self._last
        self._last = now
        if before is None or batch < before or gap > _MAX_GAP_SECONDS:
            self._batch, self._since = batch, now
            return 0
        if batch == before:
            return 0
        number = max(1, round((batch - before) / max(1, workers)))
        if number <= _MAX_BATCHES:
            self._rows.append(((now - self._since) / number, number))
        self._batch, self._since = batch, now
        return number

    def list_seconds(self, working_share: float) -> list[float]:
        """Seconds to make a batch, where that takes this share of the worker's time."""
        return [seconds * working_share for seconds, number in self._rows for _ in range(number)]
