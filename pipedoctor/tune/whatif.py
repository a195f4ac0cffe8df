"""Imagine another setting, or another machine, for a target that was probed."""

from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from pipedoctor.bottleneck import bottleneck
from pipedoctor.facts import Setting, Trial
from pipedoctor.tune.json import rates, setting
from pipedoctor.tune.predict import Model, Prediction, World, alike
from pipedoctor.tune.search import Search

SCHEMA = "pipedoctor.whatif/1"
PINNING = (
    "pin_memory is not simulated: `pipedoctor bench transfer` measures on a GPU what"
    " pinning a batch takes, and what it saves"
)
_USUAL, _SPINNING = 1, 2
"""How often settings of several workers are measured again."""
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


def imagine(search: Search, change: Change) -> dict[str, Any]:
    """What the changed setting would give, and what the current one gives."""
    seen = search.pipeline()
    wanted = change.applied(search.start)
    here = Model(seen=seen).predict(search.start)
    there = Model(seen=seen, world=change.world).predict(wanted)
    said = rates(there) or {}
    return {
        "schema": SCHEMA,
        "target": seen.target,
        "setting": setting(wanted),
        "world": {
            "cores": change.world.cores,
            "storage": change.world.storage,
            "dtype": "uint8" if change.world.uint8 else None,
        },
        "predicted": said,
        "basis": said["basis"],
        "current": {"setting": setting(search.start), "predicted": rates(here)},
        "gain": there.samples_per_second / here.samples_per_second,
        "epoch": epoch(search, there),
        "bottleneck": bottleneck(seen).name,
        "disturbed": next((t.disturbed for t in seen.trials if t.disturbed), None),
        "unpriced": PINNING if wanted.pin_memory != search.start.pin_memory else None,
    }


def epoch(search: Search, guess: Prediction) -> dict[str, float] | None:
    """Seconds of an epoch, the start of its workers apart."""
    samples = search.base.samples
    if samples is None:
        return None
    startup = 0.0 if guess.setting.persistent_workers else guess.first_batch_seconds
    return {"steady": samples / guess.samples_per_second, "startup": startup}


def probe(search: Search) -> None:
    """What has to be measured before anything can be imagined."""
    search.bench.more = search.bench.left / _WINDOWS
    search.probe()
    wide = search.of(min(8, search.bounds.max_workers))
    known = search.ledger.settings()
    late = search.bench.left < search.price()
    if not (late or any(alike(wide, other) for other in known)):
        search.measure(wide, 1.0)
    spins = any(map(spinning, search.ledger.trials))
    for _ in range(_SPINNING if spins else _USUAL):
        _crowds_again(search)


def _crowds_again(search: Search) -> None:
    """
    Measure settings of several workers once more, in other processes.

    Workers that compete for processors run at another speed each time: one window
    says little of the next.
    """
    for known in search.ledger.settings():
        if known.num_workers > 1 and search.bench.left > search.price():
            search.measure(known, 1.0)


def spinning(trial: Trial) -> bool:
    """Do threads of a library compute in its workers beside those that fetch?"""
    costs = trial.costs
    return (
        costs is not None
        and trial.costs_of > 0
        and costs.fetch_process > _BESIDE * costs.fetch_cpu
    )


__all__ = ["Change", "imagine", "probe"]
