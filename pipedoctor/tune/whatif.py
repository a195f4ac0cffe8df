"""Imagine another setting, or another machine, for a target that was probed."""

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from pipedoctor.bottleneck import bottleneck
from pipedoctor.check import Counterfactual
from pipedoctor.facts import Pipeline, Setting, Trial
from pipedoctor.tune.altered import altered
from pipedoctor.tune.batchless import NONE, fewer
from pipedoctor.tune.json import rates, setting
from pipedoctor.tune.predict import Model, Prediction, World, alike
from pipedoctor.tune.search import Search
from pipedoctor.tune.session import Refused
from pipedoctor.tune.sharing import crowded
from pipedoctor.tune.startup import ending
from pipedoctor.tune.tuning import unsized

SCHEMA = "pipedoctor.whatif/1"
PINNING = (
    "pin_memory is modelled by what copying a batch takes here; what it saves on the"
    " way to the GPU is not in it: `pipedoctor bench transfer` measures both"
)
IDLE = "pin_memory does nothing here: torch finds no GPU"
RESTS = "one thread changes nothing: no other threads of a worker used the CPUs"
FLOATLESS = "uint8 changes nothing: no batch holds floats"
_ALONE = Counterfactual(one_thread=True)
_USUAL, _SPINNING = 1, 2
"""How often settings of several workers are measured again."""
_MUCH = 0.2
"""Share of its time."""
_WINDOWS = 16
"""A window may take a share of the time longer where its rate varies."""
_BESIDE = 1.3
"""CPU of a whole worker, against that of the thread that fetches."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """What shall be different; None = as it is."""

    workers: int | None = None
    prefetch: int | None = None
    in_order: bool | None = None
    persistent: bool | None = None
    pin_memory: bool | None = None
    batch: int | None = None
    one_thread: bool = False
    """Numerical libraries start no threads of their own in workers."""
    start_method: str | None = None
    """How workers are started."""
    world: World = field(default_factory=World)

    def applied(self, to: Setting) -> Setting:
        """The setting with the change."""
        workers = to.num_workers if self.workers is None else self.workers
        prefetch = self.prefetch or to.prefetch_factor or 2
        ordered = to.in_order if self.in_order is None else self.in_order
        persistent = (
            to.persistent_workers if self.persistent is None else self.persistent
        )
        pinned = to.pin_memory if self.pin_memory is None else self.pin_memory
        return replace(
            to,
            num_workers=workers,
            prefetch_factor=prefetch if workers else None,
            in_order=ordered or not workers,
            persistent_workers=bool(workers and persistent),
            pin_memory=pinned,
            batch_size=self.batch or to.batch_size,
        )


def imagine(
    search: Search, change: Change, *, accelerator: bool = True
) -> dict[str, Any]:
    """What the changed setting would give, and what the current one gives."""
    seen = search.pipeline()
    wanted = change.applied(search.start)
    here = Model(seen=seen).predict(search.start)
    now: dict[str, Any] = {"predicted": rates(here), "epoch": epoch(seen, here)}
    seen = _started(search, change, seen)
    there = Model(seen=seen, world=change.world).predict(wanted)
    pinned = wanted.pin_memory != search.start.pin_memory
    if (pinned and accelerator) or _kept(seen, wanted):
        there = dataclasses.replace(there, measured=False)
    alone = change.one_thread and crowded(seen)
    if alone:
        there = _alone(seen, there)
    said = rates(there) or {}
    silent = _pinning(seen, change.world, wanted, here=accelerator) if pinned else ""
    rests = RESTS if change.one_thread and not alone else ""
    same = FLOATLESS if change.world.uint8 and not seen.contents.float_bytes else ""
    unpriced = (silent, rests, same, search.bounds.unshared)
    return {
        "schema": SCHEMA,
        "target": seen.target,
        "setting": setting(wanted),
        "world": {
            "cores": change.world.cores,
            "storage": change.world.storage,
            "dtype": "uint8" if change.world.uint8 else None,
            "one_thread": change.one_thread,
            "start_method": change.start_method,
        },
        "predicted": said,
        "basis": said["basis"],
        "current": {"setting": setting(search.start), **now},
        "gain": there.samples_per_second / here.samples_per_second,
        "epoch": epoch(seen, there),
        "bottleneck": bottleneck(seen).name,
        "disturbed": next((t.disturbed for t in seen.trials if t.disturbed), None),
        "unpriced": "; ".join(filter(None, unpriced)) or None,
    }


def _kept(seen: Pipeline, wanted: Setting) -> bool:
    """Was it measured with workers that end with the epoch, and shall keep them?"""
    known = (t.setting for t in seen.trials if alike(t.setting, wanted))
    return any(one.persistent_workers != wanted.persistent_workers for one in known)


def _pinning(seen: Pipeline, world: World, wanted: Setting, *, here: bool) -> str:
    """What is to be said of pin_memory; without a GPU, what it takes beside one."""
    if here or not wanted.pin_memory:
        return PINNING if here else IDLE
    guess = Model(seen=replace(seen, pins=True), world=world).predict(wanted)
    taken = 1e3 * seen.contents.copy_seconds
    said = f"{IDLE}; beside one a thread would copy each batch in {taken:.2g} ms and"
    return f"{said} give {guess.samples_per_second:,.0f} samples/s (modelled)"


def _started(search: Search, change: Change, seen: Pipeline) -> Pipeline:
    """The pipeline with workers that are started in another way."""
    method = change.start_method
    if not method or method == seen.start_method:
        return seen
    found = search.startups.get(method)
    return replace(
        seen,
        start_method=method,
        startup_seconds=found.first_batch_seconds if found else None,
        ending_seconds=found.ending_seconds if found else None,
        startup_workers=found.setting.num_workers if found else None,
    )


def _alone(seen: Pipeline, guess: Prediction) -> Prediction:
    """With one thread in each worker, whether the others have worked or spun."""
    usual = Model(seen=seen, corrected=False).predict(guess.setting).batch_seconds
    ratios = [
        Model(seen=other, corrected=False).predict(guess.setting).batch_seconds / usual
        for other in altered(seen, _ALONE)
    ]
    middle = math.prod(ratios) ** (1 / len(ratios))
    apart = (max(ratios) / min(ratios)) ** 0.5
    seconds = guess.batch_seconds * middle
    step = guess.batch_seconds - guess.wait_seconds
    return dataclasses.replace(
        guess,
        samples_per_second=guess.samples_per_second / middle,
        low=guess.low / middle / apart,
        high=guess.high / middle * apart,
        batch_seconds=seconds,
        wait_seconds=max(0.0, seconds - step),
        measured=False,
    )


def epoch(seen: Pipeline, guess: Prediction) -> dict[str, float] | None:
    """Seconds of an epoch, the start of its workers and their end apart."""
    samples = seen.samples
    if samples is None:
        return None
    kept = guess.setting.persistent_workers
    workers = guess.setting.num_workers
    return {
        "steady": samples / guess.samples_per_second,
        "startup": 0.0 if kept else guess.first_batch_seconds,
        "ending": 0.0 if kept else ending(seen, workers),
    }


def refuse(search: Search, change: Change, loaded: dict[str, Any]) -> None:
    """Raise Refused where batches of the size to imagine cannot be, or be full."""
    size, samples = change.batch, search.base.samples
    if size:
        unsized(search.base.target, "--batch", loaded)
    if size and loaded["drop_last"] and samples is not None and samples < size:
        message = f"{search.base.target}: with --batch {size} {NONE}: "
        raise Refused(message + fewer(samples, size))


def probe(search: Search, start_method: str | None = None) -> None:
    """What has to be measured before anything can be imagined; raises Failed."""
    search.bench.more = search.bench.left / _WINDOWS
    search.probe()
    if start_method and start_method not in {"fork", search.base.start_method}:
        search.starting(start_method, search.bench.left / 8)
    for wanted in _between(search):
        if search.bench.left > search.price() and not search.ledger.of(wanted):
            search.measure(wanted, 1.0)
    spins = any(map(spinning, search.ledger.trials))
    for _ in range(_SPINNING if spins else _USUAL):
        _crowds_again(search)


def _between(search: Search) -> Iterator[Setting]:
    """
    Many workers, and a number between them and the processors.

    Where the main process receives no faster, longer queues count too: what waits in
    them is no longer in its caches.
    """
    wide = min(8, search.most())
    cores = min(wide, max(2, math.floor(search.bounds.cpus)))
    yield search.of(wide)
    yield search.of(round((cores * wide) ** 0.5))
    if any(map(_receives, search.ledger.trials)):
        yield search.of(wide, 4)


def _receives(trial: Trial) -> bool:
    """Does the main process compute much in order to receive?"""
    costs = trial.costs
    if costs is None or not trial.setting.num_workers:
        return False
    return costs.next_cpu > _MUCH * trial.batch_seconds


def _crowds_again(search: Search) -> None:
    """
    Measure settings of several workers once more, in other processes.

    Workers that compete for processors run at another speed each time: one window
    says little of the next. The one that was measured least comes first.
    """
    known = [one for one in search.ledger.settings() if one.num_workers > 1]
    for one in sorted(known, key=lambda one: len(search.ledger.of(one))):
        if search.bench.left > search.price():
            search.measure(one, 1.0)


def spinning(trial: Trial) -> bool:
    """Do threads of a library compute in its workers beside those that fetch?"""
    costs = trial.costs
    return (
        costs is not None
        and trial.costs_of > 0
        and costs.fetch_process > _BESIDE * costs.fetch_cpu
    )


__all__ = ["Change", "imagine", "probe", "refuse"]
