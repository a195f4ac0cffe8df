"""Tune one target from beginning to end, within its budget."""

import contextlib
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from pipedoctor.bench.host import host
from pipedoctor.bottleneck import Bottleneck, bottleneck
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Contents, Host, Pipeline, Setting, Unreadable
from pipedoctor.tune.binding import binding
from pipedoctor.tune.decide import Choice, decide
from pipedoctor.tune.foretold import Foresight
from pipedoctor.tune.ledger import Ledger
from pipedoctor.tune.limits import Bounds, bounds
from pipedoctor.tune.predict import Model, Prediction
from pipedoctor.tune.probe import Bench, Failed, silent
from pipedoctor.tune.search import Search
from pipedoctor.tune.session import Lost, Refused, Session

RESERVE = 2.0
"""Seconds that ending everything and writing the answer may take."""
COPIES = (
    "get_worker_info(): the stream is not divided among workers, so each of them gives "
    "every sample again; rates count a sample once"
)
UNPINNED = (
    "pin_memory=True does nothing here: torch finds no GPU, so the figures are without "
    "what pinning costs"
)
_SHARE = 0.15
"""Of a small budget, that much at most."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """What the user asked for; sizes in bytes, times in seconds."""

    target: str
    batch_size: int | None = None
    step: str = ""
    """Seconds, or `module:callable`; empty: batches are not used."""
    budget: float = 30.0
    max_workers: int | None = None
    memory: int | None = None
    ranks: int = 1
    began: float = field(default_factory=time.monotonic)
    watch: Callable[[str], None] = silent

    @property
    def until(self) -> float:
        """When measuring has to be over."""
        return self.began + self.budget - min(RESERVE, _SHARE * self.budget)


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """What came out; `trouble` says why there is less than was asked for."""

    order: Order
    seen: Pipeline
    ledger: Ledger
    bounds: Bounds
    choice: Choice
    bottleneck: Bottleneck
    predictions: tuple[Prediction, ...]
    foresight: Foresight = field(default_factory=Foresight)
    """What was predicted of each setting before it was measured."""
    skipped: dict[str, str]
    """Limits that keep settings out, and what else is to be said, by their names."""
    said: tuple[str, ...] = ()
    """The same without limits that do not bind."""
    trouble: str = ""
    spent: float = 0.0
    interrupted: bool = False
    made_at: tuple[str, int] | None = None
    """File and line where the user's DataLoader is made; None = there is none."""
    written: Setting | None = None
    """What the code of the user says; None = the start setting."""
    own_batches: bool = False
    """A `batch_sampler` of the user decides how large batches are."""

    @property
    def unmeasured(self) -> str:
        """Why nothing could be said, in one line; empty: something can."""
        return self.trouble or self.choice.refused


@contextlib.contextmanager
def probed(order: Order) -> Generator[tuple[Search, dict[str, Any]], None, None]:
    """A search over a loaded target; raises Refused or Lost where there is none."""
    limits = bounds(
        max_workers=order.max_workers, memory_size=order.memory, ranks=order.ranks
    )
    most = limits.memory or 0
    order.watch("loading it")
    target, step = order.target, order.step
    with Session(target, step=step, most=most, cpus=limits.rank) as session:
        loaded = session.loaded(order.until)
        start = msgspec.convert(loaded["setting"], Setting)
        if order.batch_size is not None:
            unsized(order.target, "--batch-size", loaded)
            start = msgspec.structs.replace(start, batch_size=order.batch_size)
        base = Pipeline(
            target=order.target,
            samples=loaded["samples"],
            start=start,
            contents=Contents(bytes=0, shared_bytes=0, objects=0),
            cpus=limits.cpus,
            cpus_bound=limits.cpus_bound,
            start_method=loaded["start_method"],
            pins=bool(loaded["accelerator"]),
            host=_host(),
        )
        bench = Bench(session=session, until=order.until, watch=order.watch)
        known = bool(loaded["in_order"])
        yield Search(bench, limits, start, base, in_order_known=known), loaded


def unsized(target: str, option: str, loaded: dict[str, Any]) -> None:
    """Raise Refused where this option cannot say how large batches are."""
    if loaded["own_batches"]:
        message = f"{target}: {option}: its batch_sampler decides it"
        raise Refused(message)


def _host() -> Host | None:
    """The machine, so that nobody takes its figures for those of another one."""
    with contextlib.suppress(Unreadable):
        return host(Machine())
    return None


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What a search came to; `trouble` says why it is less than it could be."""

    search: Search
    loaded: dict[str, Any]
    trouble: str = ""
    interrupted: bool = False


def anything(search: Search, loaded: dict[str, Any]) -> None:
    """Refuse no target that could be loaded."""


def attempted(
    order: Order,
    work: Callable[[Search], None],
    *,
    before: Callable[[Search, dict[str, Any]], None] = anything,
) -> Attempt:
    """
    Load and measure a target; raises Refused, or Lost before anything is known.

    `before` may raise Refused for what was loaded.
    """
    trouble, interrupted = "", False
    with probed(order) as (search, loaded):
        before(search, loaded)
        try:
            work(search)
        except (Failed, Lost) as reason:
            trouble = str(reason)
        except KeyboardInterrupt:
            interrupted = True
    return Attempt(
        search=search, loaded=loaded, trouble=trouble, interrupted=interrupted
    )


def tune(order: Order) -> Tuning:
    """Find the best setting; raises Refused, or Lost before anything is known."""
    return concluded(order, attempted(order, Search.run))


def concluded(order: Order, done: Attempt) -> Tuning:
    """What an attempt has come to."""
    place, start = done.loaded.get("made_at"), done.search.start
    if start.pin_memory and not done.loaded["accelerator"]:
        done.search.notes["pin_memory"] = UNPINNED
    found = result(
        order, done.search, trouble=done.trouble, interrupted=done.interrupted
    )
    return replace(
        found,
        made_at=(place[0], place[1]) if place else None,
        written=msgspec.convert(done.loaded["setting"], Setting),
        own_batches=bool(done.loaded["own_batches"]),
    )


def result(
    order: Order, search: Search, *, trouble: str = "", interrupted: bool = False
) -> Tuning:
    """Everything that can be said of a search now."""
    seen = search.pipeline()
    model = Model(seen=seen)
    known = any(trial.costs for trial in seen.trials)
    guesses = tuple(search.candidates(model)) if known else ()
    tries = {str(t.setting): search.tries(t) for t in seen.trials}
    choice = decide(seen, tries)
    if trouble or choice.refused:  # nothing is decided, so nothing is changed
        choice = replace(choice, setting=seen.start, trial=choice.start)
    if search.bounds.unshared:
        search.notes["ranks"] = search.bounds.unshared
        choice = replace(choice, confidence="possible")
    if choice.setting.num_workers == search.bounds.max_workers:
        search.skipped["workers"] = search.bounds.enough
    if search.bench.copies:
        search.notes["copies"] = COPIES
    binds = binding(search, model, choice.setting) if known else search.skipped
    skipped = {**search.skipped, **search.notes}
    return Tuning(
        order=order,
        seen=msgspec.structs.replace(seen, best=choice.setting, limits=skipped),
        ledger=search.ledger,
        bounds=search.bounds,
        choice=choice,
        bottleneck=bottleneck(seen),
        predictions=guesses,
        foresight=search.foresight,
        skipped=skipped,
        said=(*binds.values(), *search.notes.values()),
        trouble=trouble,
        spent=time.monotonic() - order.began,
        interrupted=interrupted,
    )
