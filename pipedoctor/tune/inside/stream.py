"""The user's loader with other arguments, and without an end."""

# Samples, batches and samplers are the user's: nobody knows their types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

import random
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from torch.utils.data import (
    BatchSampler,
    DataLoader,
    IterableDataset,
)

from pipedoctor.attempt import Crash, attempt

ASSUMED_BATCH = 32
"""Samples of a batch where a bare data set comes without any."""
_DRAWS = 16
"""Batches whose mean size is taken where it varies."""
_KNOWN = 1 << 62


class Repeated:
    """What gives indices without an end, until it is told that the epoch is over."""

    over = False


def finish() -> None:
    """From now on no sampler of this process gives another index."""
    Repeated.over = True


class Endless(Repeated):
    """A sampler over and over, so that no window meets the end of an epoch."""

    def __init__(self, sampler: Iterable[Any]) -> None:
        self.sampler = sampler

    def __iter__(self) -> Iterator[Any]:
        """Repeat; a sampler that gives nothing ends it."""
        while True:
            empty = True
            for item in self.sampler:
                if self.over:
                    return
                empty = False
                yield item
            if empty:
                return


class Anywhere(Repeated):
    """Random indices of a data set of any size, without a permutation in memory."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __iter__(self) -> Iterator[int]:
        """Draw for ever, the same numbers in every trial."""
        draw = random.Random(20)  # noqa: S311  (no secret)
        while self.size and not self.over:
            yield draw.randrange(self.size)


class Again(IterableDataset[Any]):
    """An iterable data set over and over."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    def __getattr__(self, name: str) -> Any:
        """Whatever a worker's set-up asks of the data set."""
        if name.startswith("__") or name == "dataset":
            raise AttributeError(name)
        return getattr(self.dataset, name)

    def __iter__(self) -> Iterator[Any]:
        """Repeat; a data set that gives nothing ends it."""
        while True:
            empty = True
            for item in self.dataset:
                empty = False
                yield item
            if empty:
                return


def current(made: Any) -> dict[str, Any]:
    """The arguments that the user's loader has now, or a bare DataLoader's defaults."""
    if not isinstance(made, DataLoader):
        return {
            "num_workers": 0,
            "prefetch_factor": None,
            "in_order": True,
            "pin_memory": False,
            "persistent_workers": False,
            "batch_size": min(ASSUMED_BATCH, samples(made) or ASSUMED_BATCH),
        }
    return {
        "num_workers": made.num_workers,
        "prefetch_factor": made.prefetch_factor if made.num_workers else None,
        "in_order": bool(getattr(made, "in_order", True)),
        "pin_memory": bool(made.pin_memory),
        "persistent_workers": bool(made.persistent_workers),
        "batch_size": made.batch_size or _drawn(made.batch_sampler),
    }


def own_batches(made: Any) -> bool:
    """Does a sampler of the user decide how large batches are?"""
    sampler = getattr(made, "batch_sampler", None)
    if sampler is None:
        return False
    return made.batch_size is None or type(sampler) is not BatchSampler


def _drawn(sampler: Any) -> int | None:
    """Samples of a batch where only a sampler knows: what it says, or first draws."""
    if sampler is None:
        return None
    said = getattr(sampler, "batch_size", None)
    if isinstance(said, int) and said > 0:
        return said
    done = attempt(lambda: [len(batch) for batch in islice(sampler, _DRAWS)])
    first = [] if isinstance(done, Crash) else done.value  # a trial will tell
    return round(sum(first) / len(first)) or None if first else None


def samples(made: Any) -> int | None:
    """Samples of an epoch; None where nobody can know."""
    sized: Any = made
    if isinstance(made, DataLoader):
        sized = made.dataset
        if not isinstance(sized, IterableDataset):
            sized = made.sampler
    length: Callable[[Any], int] = len
    done = attempt(lambda: min(length(sized), _KNOWN))
    return None if isinstance(done, Crash) else done.value


def loader(made: Any, setting: dict[str, Any], *, endless: bool = True) -> Any:
    """Build the user's loader with these arguments; `endless`: without epochs."""
    workers = setting["num_workers"]
    base = _of_loader(made, setting) if isinstance(made, DataLoader) else {}
    dataset: Any = made.dataset if isinstance(made, DataLoader) else made
    extra: dict[str, Any] = {
        "num_workers": workers,
        "pin_memory": setting["pin_memory"],
        "persistent_workers": bool(workers and setting["persistent_workers"]),
    }
    if workers:
        extra["prefetch_factor"] = setting["prefetch_factor"]
        # Rates do not depend on the start method, and forked workers have our clocks.
        extra["multiprocessing_context"] = setting.get("context") or "fork"
    if not setting["in_order"]:
        extra["in_order"] = False
    order = _order(made, dataset, setting, endless=endless)
    if endless and isinstance(dataset, IterableDataset):
        dataset = Again(dataset)
    return DataLoader(dataset, **base, **order, **extra)


def _of_loader(made: Any, setting: dict[str, Any]) -> dict[str, Any]:
    kept = {
        "collate_fn": made.collate_fn,
        "worker_init_fn": made.worker_init_fn,
        "generator": made.generator,
    }
    plain = made.batch_size is None and setting["batch_size"] is not None
    if plain and made.batch_sampler is None:
        kept.pop("collate_fn")  # it was for single samples
    return kept


def _order(
    made: Any, dataset: Any, setting: dict[str, Any], *, endless: bool
) -> dict[str, Any]:
    """How samples are drawn: the user's samplers, repeated."""
    size = setting["batch_size"]
    if isinstance(dataset, IterableDataset):
        return {"batch_size": size, "drop_last": endless and size is not None}
    repeat: Any = Endless if endless else _once
    if not isinstance(made, DataLoader):
        return _at_random(dataset, size, endless=endless)
    if own_batches(made):
        return {"batch_sampler": repeat(made.batch_sampler)}
    if size is None:
        return {"batch_size": None, "sampler": repeat(made.sampler)}
    whole = BatchSampler(repeat(made.sampler), size, drop_last=endless)
    return {"batch_sampler": whole}


def _at_random(dataset: Any, size: int | None, *, endless: bool) -> dict[str, Any]:
    """As a loop for training draws from a data set that comes alone."""
    length = samples(dataset)
    if length is None:
        return {"batch_size": size, "shuffle": False}
    if endless:
        indices: Any = Anywhere(length)
        return {"batch_sampler": BatchSampler(indices, size or 1, drop_last=True)}
    return {"batch_size": size, "shuffle": True}


def _once(sampler: Any) -> Any:
    return sampler
