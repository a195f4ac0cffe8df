"""How long items take, by how long each of them is seen being made."""

from collections import deque
from collections.abc import Iterator

import msgspec

_MAX_ITEMS = 2000
_MIN_SLOW_SECONDS = 0.015
"""What takes less is no slow item, whatever the others take."""
_MAX_GAP_SECONDS = 1.0
"""Seconds between two looks that still belong to one item, on a busy machine as well."""
ItemKey = tuple[int | None, int | None]
"""Number of the batch, and of the item in the dataset; None: the whole batch."""


class _CurrentItem(msgspec.Struct):
    """An item, or a batch, that is being made."""

    key: ItemKey
    last: float
    cpu: float | None
    length: int
    """Items that are made together."""
    seconds: float = 0.0
    looks: int = 1


class ItemTimes:
    """
    Seconds that items were seen to take at least, and in how many looks.

    What their worker computed, and what it waited in calls, but not the time in which it was
    ready and had no CPU: the kernel counts that only when it is over. Of items that are made
    together the mean; 0 where all of it took no time that matters.
    """

    def __init__(self) -> None:
        self._finished: deque[tuple[float, float]] = deque(maxlen=_MAX_ITEMS)
        self._item: _CurrentItem | None = None

    def __iter__(self) -> Iterator[tuple[float, float]]:
        return iter(self._finished)

    def observe_item(
        self, key: ItemKey, now: float, cpu: float | None, *, waits: bool, length: int = 1
    ) -> None:
        """
        An item is being made, or as many as `length` says, together.

        `cpu`: what its worker has computed so far, if that is known; `waits`: it is in a call.
        """
        known = self._item
        if known and known.key == key and now - known.last < _MAX_GAP_SECONDS:
            known.looks += 1
            if waits or cpu is None or known.cpu is None:
                known.seconds += now - known.last
            else:
                known.seconds += max(0.0, cpu - known.cpu)
            known.last, known.cpu = now, cpu
            return
        self.finish_item()
        self._item = _CurrentItem(key, now, cpu, length)

    def finish_item(self) -> None:
        """No item is being made any more."""
        known, self._item = self._item, None
        if known is not None:
            own = known.seconds
            each = own / known.length if own >= _MIN_SLOW_SECONDS else 0.0
            self._finished.append((each, known.looks))
