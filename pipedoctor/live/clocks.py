"""Two clocks around `next` of every iterator of a DataLoader."""

import contextlib
import threading
import time
import weakref
from collections import deque
from collections.abc import Generator
from dataclasses import asdict, dataclass, field
from typing import Any

_MAX_WAITS = 4096
"""Waits that are remembered, for their spread."""
_MAX_LOADERS = 64
"""Datasets with clocks of their own: a job may make a new one for each shard."""
_ATTRIBUTE = "__next__"


@dataclass(frozen=True)
class LoaderFigures:
    """What the consumer of one loader has waited, in seconds."""

    steps: int
    epochs: int
    wait_seconds: float
    wait_share: float
    """Of the time from the first batch to the last."""
    wait_p50: float
    wait_p95: float
    wait_p99: float
    first_batch_seconds: float
    """Mean over epochs: from the beginning of `next` to its batch."""
    gap_seconds: float
    """Mean: from the end of one epoch to the first batch of the next."""

    def scalars(self) -> dict[str, float]:
        """By names for a trainer's logger."""
        return {f"pipedoctor/{name}": float(v) for name, v in asdict(self).items()}


@dataclass
class _LoaderClock:
    """The clock of one loader; only the thread that iterates writes to it."""

    steps: int = 0
    epochs: int = 0
    wait: float = 0.0
    first_wait: float = 0.0
    gap: float = 0.0
    gaps: int = 0
    began: float = 0.0
    last: float = 0.0
    ended: float = 0.0
    recent: deque[float] = field(default_factory=lambda: deque[float](maxlen=_MAX_WAITS))

    def compute_figures(self) -> LoaderFigures:
        """Everything so far."""
        waits = sorted(self.recent) or [0.0]
        last = len(waits) - 1
        p50, p95, p99 = (waits[round(last * q)] for q in (0.5, 0.95, 0.99))
        spent = max(self.last - self.began, 1e-12)
        return LoaderFigures(
            steps=self.steps,
            epochs=self.epochs,
            wait_seconds=self.wait,
            wait_share=min(1.0, self.wait / spent) if self.steps else 0.0,
            wait_p50=p50,
            wait_p95=p95,
            wait_p99=p99,
            first_batch_seconds=self.first_wait / max(1, self.epochs),
            gap_seconds=self.gap / self.gaps if self.gaps else 0.0,
        )


class LoaderClocks:
    """The clocks of all loaders; `install` puts them on, `remove` takes them off."""

    def __init__(self) -> None:
        self._loaders: list[_LoaderClock] = []
        self._by_iterator: "weakref.WeakKeyDictionary[Any, _LoaderClock]" = (  # noqa: UP037
            weakref.WeakKeyDictionary()
        )
        self._by_dataset: dict[int, _LoaderClock] = {}

    def figures(self) -> list[LoaderFigures]:
        """Of each loader that gave a batch, the busiest first."""
        found = [loader.compute_figures() for loader in self._loaders if loader.steps]
        return sorted(found, key=lambda one: -one.steps)

    def find_clock(self, iterator: Any, now: float) -> _LoaderClock:
        """The clock of an iterator: iterators of one dataset share theirs, and the last of many."""
        key = id(getattr(iterator, "_dataset", iterator))
        loader = self._by_dataset.get(key)
        if loader is None and len(self._loaders) >= _MAX_LOADERS:
            loader = self._loaders[-1]
        if loader is None:
            loader = self._by_dataset[key] = _LoaderClock(began=now)
            self._loaders.append(loader)
        self._by_iterator[iterator] = loader
        return loader

    def wrap_next(self, plain: Any) -> Any:
        """The same `__next__`, between two clocks."""
        known, clock = self._by_iterator, time.perf_counter

        def __next__(iterator: Any) -> Any:  # noqa: N807  (torch.compile goes by it)
            before = clock()
            loader = known.get(iterator)
            first = loader is None
            if loader is None:
                loader = self.find_clock(iterator, before)
            try:
                return plain(iterator)
            except StopIteration:
                loader.ended = clock()
                known.pop(iterator, None)
                raise
            finally:
                now = clock()
                self._count_step(loader, before, now, first=first)

        return __next__

    @staticmethod
    def _count_step(loader: _LoaderClock, step_start: float, now: float, *, first: bool) -> None:
        if loader.ended and loader.ended >= step_start:
            return  # that was the end of an epoch, and no batch
        spent = now - step_start
        loader.steps += 1
        loader.wait += spent
        loader.last = now
        loader.recent.append(spent)
        if first:
            loader.epochs += 1
            loader.first_wait += spent
            if loader.ended:
                loader.gap += now - loader.ended
                loader.gaps += 1
                loader.ended = 0.0


_LOCK = threading.Lock()
_INSTALLED: list[tuple[LoaderClocks, type, Any]] = []


def install() -> LoaderClocks:
    """Put clocks around every DataLoader of this process; again: the same ones."""
    from torch.utils.data import dataloader

    with _LOCK:
        if _INSTALLED:
            return _INSTALLED[0][0]
        kind: Any = dataloader._BaseDataLoaderIter  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        plain: Any = getattr(kind, _ATTRIBUTE)
        made = LoaderClocks()
        setattr(kind, _ATTRIBUTE, made.wrap_next(plain))
        _INSTALLED.append((made, kind, plain))
        return made


def remove() -> None:
    """Take them off again; nothing is left behind."""
    with _LOCK:
        while _INSTALLED:
            _, kind, plain = _INSTALLED.pop()
            setattr(kind, _ATTRIBUTE, plain)


@contextlib.contextmanager
def clocks() -> Generator[LoaderClocks, None, None]:
    """Clocks for a while."""
    try:
        yield install()
    finally:
        remove()
