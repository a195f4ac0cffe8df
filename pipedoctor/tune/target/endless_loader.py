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

from pipedoctor.facts import Setting
from pipedoctor.runtime.attempt import Crash, attempt
from pipedoctor.tune.target.loader_failure import explain_too_few

ASSUMED_BATCH_SIZE = 32
"""Samples of a batch where a bare dataset comes without any."""
_DRAWN_BATCHES = 16
"""Batches whose mean size is taken where it varies."""
_MAX_SAMPLES = 1 << 62


class EndlessSource:
    """What gives indices without an end, until it is told that the epoch is over."""

    is_over = False


def finish_epoch() -> None:
    """From now on no sampler of this process gives another index."""
    EndlessSource.is_over = True


class EndlessSampler(EndlessSource):
    """
    A sampler over and over, so that no window meets the end of an epoch.

    It ends at once where the sampler gives nothing, or fewer than `min_items`.
    """

    def __init__(self, sampler: Iterable[Any], min_items: int = 0) -> None:
        self.sampler, self.min_items = sampler, min_items

    def __iter__(self) -> Iterator[Any]:
        """Repeat, until the epoch is said to be over."""
        for item in _repeat(self.sampler, self.min_items):
            if self.is_over:
                return
            yield item


class EndlessRandomSampler(EndlessSource):
    """Random indices of a dataset of any size, without a permutation in memory."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __iter__(self) -> Iterator[int]:
        """Draw for ever, the same numbers in every trial."""
        draw = random.Random(20)  # noqa: S311  (no secret)
        while self.size and not self.is_over:
            yield draw.randrange(self.size)


class EndlessDataset(IterableDataset[Any]):
    """
    An iterable dataset over and over.

    It ends at once where the dataset gives nothing, or fewer than `min_items`.
    """

    def __init__(self, dataset: Any, min_items: int = 0) -> None:
        self.dataset, self._min_items = dataset, min_items

    def __getattr__(self, name: str) -> Any:
        """Whatever a worker's set-up asks of the dataset."""
        if name.startswith("__") or name == "dataset":
            raise AttributeError(name)
        return getattr(self.dataset, name)

    def __iter__(self) -> Iterator[Any]:
        """Repeat."""
        return _repeat(self.dataset, self._min_items)


def _repeat(source: Iterable[Any], min_items: int) -> Iterator[Any]:
    """
    Give the items again and again.

    Nothing unless the first pass has `min_items` of them.
    """
    items = iter(source)
    held = list(islice(items, min_items))
    if len(held) < min_items:
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


def read_setting(source: Any) -> Setting:
    """The arguments that the user's loader has now, or a bare DataLoader's defaults."""
    if not isinstance(source, DataLoader):
        size = min(ASSUMED_BATCH_SIZE, count_samples(source) or ASSUMED_BATCH_SIZE)
        return Setting(num_workers=0, batch_size=size)
    return Setting(
        num_workers=source.num_workers,
        prefetch_factor=source.prefetch_factor if source.num_workers else None,
        in_order=bool(getattr(source, "in_order", True)),
        pin_memory=bool(source.pin_memory),
        persistent_workers=bool(source.persistent_workers),
        batch_size=source.batch_size or _read_batch_size(source.batch_sampler),
    )


def has_own_batches(source: Any) -> bool:
    """Does a sampler of the user decide how large batches are?"""
    sampler = getattr(source, "batch_sampler", None)
    if sampler is None:
        return False
    return source.batch_size is None or type(sampler) is not BatchSampler


def has_drop_last(source: Any) -> bool:
    """Does it leave out the last batch of an epoch where that is incomplete?"""
    sampler = getattr(source, "batch_sampler", None)
    return not has_own_batches(source) and bool(getattr(sampler, "drop_last", False))


def explain_no_batch(source: Any, setting: Setting) -> str:
    """Why it gives no batch with these arguments, as far as anybody can tell."""
    least, count = _count_min_samples(source, setting), count_samples(source)
    if count and count < least:
        return explain_too_few(count, least)
    if has_own_batches(source):
        return "its batch_sampler yields nothing"
    if not isinstance(getattr(source, "dataset", source), IterableDataset):
        return "the dataset or its sampler is empty"
    if not least:
        return "its dataset yields nothing"
    each = " in each worker" if setting.num_workers > 1 else ""
    return (
        f"its dataset yields fewer samples than batch_size={least}{each}, and"
        " drop_last=True drops them"
    )


def _count_min_samples(source: Any, setting: Setting) -> int:
    """Samples without which an epoch has no batch at all; 0: one is enough."""
    return (setting.batch_size or 0) if has_drop_last(source) else 0


def _read_batch_size(sampler: Any) -> int | None:
    """Samples of a batch where only a sampler knows: what it says, or first draws."""
    if sampler is None:
        return None
    size = getattr(sampler, "batch_size", None)
    if isinstance(size, int) and size > 0:
        return size
    done = attempt(lambda: [len(batch) for batch in islice(sampler, _DRAWN_BATCHES)])
    first = [] if isinstance(done, Crash) else done.value  # a trial will tell
    return round(sum(first) / len(first)) or None if first else None


def count_samples(source: Any) -> int | None:
    """Samples of an epoch; None where nobody can know."""
    sized: Any = source
    if isinstance(source, DataLoader):
        sized = source.dataset
        if not isinstance(sized, IterableDataset):
            sized = source.sampler
    length: Callable[[Any], int] = len
    done = attempt(lambda: min(length(sized), _MAX_SAMPLES))
    return None if isinstance(done, Crash) else done.value


def build_loader(
    source: Any, setting: Setting, *, endless: bool = True, context: str = "fork"
) -> Any:
    """Build the user's loader with these arguments; `endless`: without epochs."""
    EndlessSource.is_over = False  # of an earlier loader of this process
    workers = setting.num_workers
    base = _copy_arguments(source, setting) if isinstance(source, DataLoader) else {}
    dataset: Any = source.dataset if isinstance(source, DataLoader) else source
    extra: dict[str, Any] = {
        "num_workers": workers,
        "pin_memory": setting.pin_memory,
        "persistent_workers": bool(workers and setting.persistent_workers),
    }
    if workers:
        extra["prefetch_factor"] = setting.prefetch_factor
        # Rates do not depend on the start method, and forked workers have our clocks.
        extra["multiprocessing_context"] = context
    if not setting.in_order:
        extra["in_order"] = False
    order = _build_sampling(source, dataset, setting, endless=endless)
    if endless and isinstance(dataset, IterableDataset):
        dataset = EndlessDataset(dataset, _count_min_samples(source, setting))
    return DataLoader(dataset, **base, **order, **extra)


def _copy_arguments(source: Any, setting: Setting) -> dict[str, Any]:
    arguments = {
        "collate_fn": source.collate_fn,
        "worker_init_fn": source.worker_init_fn,
        "generator": source.generator,
    }
    plain = source.batch_size is None and setting.batch_size is not None
    if plain and source.batch_sampler is None:
        arguments.pop("collate_fn")  # it was for single samples
    return arguments


def _build_sampling(
    source: Any, dataset: Any, setting: Setting, *, endless: bool
) -> dict[str, Any]:
    """The arguments that say how samples are drawn: the user's samplers, repeated."""
    size = setting.batch_size
    if isinstance(dataset, IterableDataset):
        return {"batch_size": size, "drop_last": endless and size is not None}
    if not isinstance(source, DataLoader):
        return _build_random_sampling(dataset, size, endless=endless)
    repeat: Any = EndlessSampler if endless else _pass_through
    if has_own_batches(source):
        return {"batch_sampler": repeat(source.batch_sampler)}
    if size is None:
        return {"batch_size": None, "sampler": repeat(source.sampler)}
    indices = repeat(source.sampler, _count_min_samples(source, setting))
    return {"batch_sampler": BatchSampler(indices, size, drop_last=endless)}


def _build_random_sampling(dataset: Any, size: int | None, *, endless: bool) -> dict[str, Any]:
    """Arguments that draw as a training loop does from a dataset that comes alone."""
    length = count_samples(dataset)
    if length is None:
        return {"batch_size": size, "shuffle": False}
    if endless:
        indices: Any = EndlessRandomSampler(length)
        return {"batch_sampler": BatchSampler(indices, size or 1, drop_last=True)}
    return {"batch_size": size, "shuffle": True}


def _pass_through(sampler: Any, min_items: int = 0) -> Any:
    del min_items  # what comes once may end with an incomplete batch
    return sampler
