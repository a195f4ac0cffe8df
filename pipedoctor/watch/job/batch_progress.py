"""How many batches the workers of each main process have begun, by their numbers."""

_MAX_RATE = 5000.0
"""Batches a second that no loader of Python gives."""


class BatchProgress:
    """Counts over all workers of a main process, by the highest number seen."""

    def __init__(self) -> None:
        self.batches: dict[int, float] = {}
        """By main process."""
        self._highest: dict[int, int] = {}
        self._since: dict[int, tuple[float, float]] = {}
        """When the first and the newest batch of a main process were seen."""

    def observe_batch(self, main: int, batch: int, workers: int, now: float) -> None:
        """One of so many workers makes the batch of this number."""
        highest, far = self._highest.get(main), 4 * max(4, workers)
        first, before = self._since.get(main, (now, now))
        self._since[main] = (first, now)
        if highest is None or batch < highest - far:
            self._highest[main] = batch  # the first, or a new epoch
        elif batch > highest + far + _MAX_RATE * (now - before):
            return  # the number was overwritten while it was read
        elif batch > highest:
            self.batches[main] = self.batches.get(main, 0.0) + batch - highest
            self._highest[main] = batch

    def compute_batch_seconds(self, main: int) -> float | None:
        """Seconds between two batches; None: too few were seen."""
        batches, (first, last) = self.batches.get(main, 0.0), self._since.get(main, (0, 0))
        return (last - first) / batches if batches and last > first else None
