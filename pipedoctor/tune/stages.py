"""`bench loader`: what each stage of one batch costs, without workers and in one."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec

from pipedoctor.bench.host import host
from pipedoctor.bench.sheet import Sheet, closing, number, times
from pipedoctor.bench.steady import TRIES, worst
from pipedoctor.bottleneck import bottleneck
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import (
    BenchLoader,
    Costs,
    Fact,
    OneThread,
    Pipeline,
    Quality,
    Shares,
    Trial,
)
from pipedoctor.facts.bench import ENOUGH
from pipedoctor.tune.beside import Beside
from pipedoctor.tune.search import Search
from pipedoctor.tune.tuning import Order, attempted
from pipedoctor.units import human, many

HEAD = ("ms for a batch", "no workers", "in a worker", "main process")
WHAT = {"touch": "first touch", "transfer": "to the GPU", "threads": "one thread"}


@dataclass(frozen=True, kw_only=True)
class Stages:
    """What was probed; `trouble` says why there is less than there could be."""

    seen: Pipeline
    beside: BenchLoader | None = None
    trouble: str = ""
    repeated: int = 0
    """Windows that were measured again, because others had the CPUs meanwhile."""
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def unmeasured(self) -> str:
        """Why there is no number at all; empty: there is one."""
        clean = [trial for trial in self.seen.trials if not trial.window.refused]
        if clean:
            return ""
        refused = [trial.window.refused for trial in self.seen.trials]
        return self.trouble or next(iter(refused), "no batch came in the time given")

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What can be written and judged: nothing that others decided."""
        seen = trusted(self).seen
        return (seen,) if self.beside is None else (seen, self.beside)


def measure(order: Order) -> Stages:
    """Probe a target; raises Refused, or Lost before anything is known."""
    done = attempted(order, quietly)
    interrupted = done.interrupted
    beside = Beside(order, done.search, loading=done.loaded["seconds"])
    if not done.trouble and not interrupted:
        try:
            beside.run(accelerator=done.loaded["accelerator"])
        except KeyboardInterrupt:
            interrupted = True
    seen = done.search.pipeline()
    return Stages(
        seen=seen,
        beside=None if done.trouble else beside.result(),
        trouble=done.trouble,
        repeated=len(done.search.ledger.trials) - len(seen.trials),
        seconds=time.monotonic() - order.began,
        interrupted=interrupted,
    )


def quietly(search: Search) -> None:
    """
    Probe; then again what others disturbed, in half of the time that is left.

    In all of it as long as no window counts: there is nothing else to measure, then.
    """
    search.probe()
    half = search.bench.left / 2
    for _ in range(TRIES - 1):
        for trial in search.ledger.merged():
            refused = all(one.window.refused for one in search.ledger.merged())
            least = 0.0 if refused else half
            if trial.disturbed and search.bench.left - search.price() > least:
                seconds = search.window()
                trace = 0.0 if trial.setting.num_workers else seconds / 2
                search.measure(trial.setting, seconds, trace=trace)


def trusted(found: Stages) -> Stages:
    """Without the trials that others decided."""
    trials = tuple(t for t in found.seen.trials if not t.window.refused)
    return replace(found, seen=msgspec.structs.replace(found.seen, trials=trials))


def sheet(found: Stages) -> Sheet:
    """The stages in the order in which a sample goes through them."""
    seen = trusted(found).seen
    return Sheet(
        title=f"One batch of {seen.target}, stage by stage",
        said=tuple(_said(seen, found.beside)),
        head=HEAD,
        rows=tuple(row for row in _rows(seen, found.beside) if any(row[1:])),
        notes=tuple(_notes(found)),
    )


def _said(seen: Pipeline, beside: BenchLoader | None) -> Iterator[str]:
    if seen.trials:
        cause = bottleneck(seen)
        yield f"Bottleneck: {cause.name}; {cause.why}."
    if beside is not None and beside.threads is not None:
        yield _one_thread(beside.threads)
    for trial in seen.trials:
        workers = trial.setting.num_workers
        yield (
            f"num_workers={workers}: {number(trial.samples_per_second)} samples/s, a"
            f" batch in {number(1000 * trial.batch_seconds)} ms, the first after"
            f" {trial.first_batch_seconds:.2f} s."
        )


def _one_thread(found: OneThread) -> str:
    values = " ".join(f"{name}=1" for name in found.variables)
    costs = (number(1000 * cpu) for cpu in (found.cpu_before, found.cpu_after))
    text = (
        f"With {values} it is {times(found.ratio)} as fast, and a batch takes"
        f" {' ms of CPU without and '.join(costs)} ms with it"
    )
    if found.ratio.windows < ENOUGH:
        text += "; of too few windows to be certain, a larger --budget allows more"
    elif not found.ratio.above(1.0):
        text += ": not faster for certain"
    return f"{text}."


def _rows(seen: Pipeline, beside: BenchLoader | None) -> Iterator[tuple[str, ...]]:
    alone = _costs([t for t in seen.trials if not t.setting.num_workers])
    worker = _costs([t for t in seen.trials if t.setting.num_workers])
    yield ("get items", _ms(alone, "fetch_wall"), _ms(worker, "fetch_wall"), "")
    for name in ("read", "decode", "transform"):
        share = getattr(seen.wall, name) if seen.wall else None
        if share is not None:
            cells = (_of(costs, share) for costs in (alone, worker))
            yield (f"  {name}", *cells, "")
    yield ("collate", _ms(alone, "collate_wall"), _ms(worker, "collate_wall"), "")
    yield ("send", "", _ms(worker, "send_wall"), "")
    yield ("receive", "", "", _ms(worker, "receive_wall"))
    yield ("CPU within next()", "", "", _ms(worker, "next_cpu"))
    if beside is not None:
        for name, spent in (("touch", beside.touch), ("transfer", beside.transfer)):
            if spent is not None:
                yield (WHAT[name], "", "", number(1000 * spent.value))


def _costs(trials: list[Trial]) -> Costs | None:
    known = [trial for trial in trials if trial.costs is not None]
    return min(known, key=lambda t: t.setting.num_workers).costs if known else None


def _of(costs: Costs | None, share: float) -> str:
    return number(1000 * costs.fetch_wall * share) if costs else ""


def _ms(costs: Costs | None, name: str) -> str:
    return number(1000 * float(getattr(costs, name))) if costs else ""


def _notes(found: Stages) -> Iterator[str]:
    seen = found.seen
    if found.trouble:
        yield f"Not all was measured: {found.trouble}."
    if isinstance(seen.wall, Shares) and trusted(found).seen.trials:
        yield "Read, decode and transform are shares of getting items, from a trace."
    if _costs([t for t in trusted(found).seen.trials if t.setting.num_workers]):
        yield (
            "Send: a thread of the worker pickles the batch; receive: the main process"
            " unpickles it. CPU within next(): all that it computes to get a batch."
        )
    contents = seen.contents
    if contents.bytes:
        tensors = many(contents.objects, "tensor")
        yield f"A batch holds {human(contents.bytes)} in {tensors}."
    yield from _missing(found.beside)
    yield from closing(
        host(Machine()), _quality(found), found.seconds, interrupted=found.interrupted
    )


def _quality(found: Stages) -> Quality:
    """Of all windows, those beside the stages among them."""
    beside = found.beside.quality if found.beside else Quality()
    windows = [trial.window for trial in found.seen.trials]
    refused = [window.refused for window in windows if window.refused]
    return Quality(
        windows=len(windows) + beside.windows,
        repeated=found.repeated + beside.repeated,
        refused=len(refused) + beside.refused,
        why_refused=next(iter(refused), beside.why_refused),
        marked=worst(windows) or beside.marked,
    )


def _missing(beside: BenchLoader | None) -> Iterator[str]:
    """What the rows of receiving mean, and why one of them is not there."""
    if beside is None:
        return
    if beside.touch is not None:
        yield "First touch: a byte of every page is read, in the main process, once."
    for name, why in beside.unknown.items():
        yield f"Not measured, {WHAT[name]}: {why}."
