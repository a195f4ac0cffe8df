"""How long items take, by how long each of them is seen being made."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

_MAX_ITEMS = 2000
_MIN_SLOW_SECONDS = 0.015
"""What takes less is no slow item, whatever the others take."""
_MAX_GAP_SECONDS = 0.25
"""Seconds between two looks that still belong to one item."""
ItemKey = tuple[int | None, int | None]
"""Number of the batch, and of the item in the dataset; None: the whole batch."""


@dataclass
class _CurrentItem:
    """An item, or a batch, that is being made."""

    key: ItemKey
    since: float
    last: float
    delay_before: float
    length: int
    """Items that are made together."""
    delay: float = 0.0
    looks: int = 1


class ItemTimes:
    """
    Seconds that items were seen to take at least, and in how many looks.

    Without the time in which their worker was ready and had no CPU. Of items that are
    made together the mean; 0 where all of it took no time that matters.
    """

    def __init__(self) -> None:
        self._finished: deque[tuple[float, float]] = deque(maxlen=_MAX_ITEMS)
        self._item: _CurrentItem | None = None

    def __iter__(self) -> Iterator[tuple[float, float]]:
        return iter(self._finished)

    def observe_item(self, key: ItemKey, now: float, delay: float, length: int = 1) -> None:
        """
        An item is being made, or as many as `length` says, together.

        `delay` is the total of waiting for a CPU.
        """
        known = self._item
        if known and known.key == key and now - known.last < _MAX_GAP_SECONDS:
            known.looks += 1
            known.last, known.delay = now, delay - known.delay_before
            return
        self.finish_item()
        self._item = _CurrentItem(key, now, now, delay, length)

    def finish_item(self) -> None:
        """No item is being made any more."""
        known, self._item = self._item, None
        if known is not None:
            own = max(0.0, known.last - known.since - known.delay)
            each = own / known.length if own >= _MIN_SLOW_SECONDS else 0.0
            self._finished.append((each, known.looks))
