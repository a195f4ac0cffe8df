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
from pipedoctor.tune.batchless import fewer

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
    """
    A sampler over and over, so that no window meets the end of an epoch.

    It ends at once where the sampler gives nothing, or fewer than `least`.
    """

    def __init__(self, sampler: Iterable[Any], least: int = 0) -> None:
        self.sampler, self.least = sampler, least

    def __iter__(self) -> Iterator[Any]:
        """Repeat, until the epoch is said to be over."""
        for item in _repeated(self.sampler, self.least):
            if self.over:
                return
            yield item


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
    """
    An iterable data set over and over.

    It ends at once where the data set gives nothing, or fewer than `least`.
    """

    def __init__(self, dataset: Any, least: int = 0) -> None:
        self.dataset, self._least = dataset, least

    def __getattr__(self, name: str) -> Any:
        """Whatever a worker's set-up asks of the data set."""
        if name.startswith("__") or name == "dataset":
            raise AttributeError(name)
        return getattr(self.dataset, name)

    def __iter__(self) -> Iterator[Any]:
        """Repeat."""
        return _repeated(self.dataset, self._least)


def _repeated(source: Iterable[Any], least: int) -> Iterator[Any]:
    """Again and again; the first pass gives nothing unless it has `least` items."""
    items = iter(source)
    held = list(islice(items, least))
    if len(held) < least:
        return
    yield from held
    empty = not held
    while True:
        for item in items:
            empty = False
            yield item
        if empty:
            return
        items, empty = iter(source), True


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


def drops_last(made: Any) -> bool:
    """Does it leave out the last batch of an epoch where that is incomplete?"""
    sampler = getattr(made, "batch_sampler", None)
    return not own_batches(made) and bool(getattr(sampler, "drop_last", False))


def nothing(made: Any, setting: dict[str, Any]) -> str:
    """Why it gives no batch with these arguments, as far as anybody can tell."""
    least, count = _least(made, setting), samples(made)
    if count and count < least:
        return fewer(count, least)
    if own_batches(made):
        return "its batch_sampler gives nothing"
    if not isinstance(getattr(made, "dataset", made), IterableDataset):
        return "the data set or its sampler is empty"
    if not least:
        return "its data set gives nothing"
    each = " in each worker" if setting["num_workers"] > 1 else ""
    return (
        f"its data set gives fewer samples than batch_size={least}{each}, and"
        " drop_last=True leaves those out"
    )


def _least(made: Any, setting: dict[str, Any]) -> int:
    """Samples without which an epoch has no batch at all; 0: one is enough."""
    return (setting["batch_size"] or 0) if drops_last(made) else 0


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
        dataset = Again(dataset, _least(made, setting))
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
    if not isinstance(made, DataLoader):
        return _at_random(dataset, size, endless=endless)
    repeat: Any = Endless if endless else _once
    if own_batches(made):
        return {"batch_sampler": repeat(made.batch_sampler)}
    if size is None:
        return {"batch_size": None, "sampler": repeat(made.sampler)}
    indices = repeat(made.sampler, _least(made, setting))
    return {"batch_sampler": BatchSampler(indices, size, drop_last=endless)}


def _at_random(dataset: Any, size: int | None, *, endless: bool) -> dict[str, Any]:
    """As a loop for training draws from a data set that comes alone."""
    length = samples(dataset)
    if length is None:
        return {"batch_size": size, "shuffle": False}
    if endless:
        indices: Any = Anywhere(length)
        return {"batch_sampler": BatchSampler(indices, size or 1, drop_last=True)}
    return {"batch_size": size, "shuffle": True}


def _once(sampler: Any, least: int = 0) -> Any:
    del least  # what comes once may end with an incomplete batch
    return sampler
