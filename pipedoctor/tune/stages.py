"""`bench loader`: what each stage of one batch costs, without workers and in one."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from pipedoctor.bench.host import host
from pipedoctor.bench.sheet import Sheet, closing, number
from pipedoctor.bottleneck import bottleneck
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Costs, Pipeline, Quality, Shares, Trial
from pipedoctor.tune.probe import Failed
from pipedoctor.tune.session import Lost
from pipedoctor.tune.tuning import Order, probed
from pipedoctor.units import human

HEAD = ("ms for a batch", "no workers", "in a worker", "in the main process")


@dataclass(frozen=True, kw_only=True)
class Stages:
    """What was probed; `trouble` says why there is less than there could be."""

    seen: Pipeline
    trouble: str = ""
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


def measure(order: Order) -> Stages:
    """Probe a target; raises Refused, or Lost before anything is known."""
    trouble, interrupted = "", False
    with probed(order) as (search, _):
        try:
            search.probe()
        except (Failed, Lost) as reason:
            trouble = str(reason)
        except KeyboardInterrupt:
            interrupted = True
    return Stages(
        seen=search.pipeline(),
        trouble=trouble,
        seconds=time.monotonic() - order.began,
        interrupted=interrupted,
    )


def trusted(found: Stages) -> Stages:
    """Without the trials that others decided."""
    trials = tuple(t for t in found.seen.trials if not t.window.refused)
    seen = msgspec.structs.replace(found.seen, trials=trials)
    return Stages(
        seen=seen,
        trouble=found.trouble,
        seconds=found.seconds,
        interrupted=found.interrupted,
    )


def sheet(found: Stages) -> Sheet:
    """The stages in the order in which a sample goes through them."""
    seen = trusted(found).seen
    return Sheet(
        title=f"One batch of {seen.target}, stage by stage",
        said=tuple(_said(seen)),
        head=HEAD,
        rows=tuple(_rows(seen)) if seen.trials else (),
        notes=tuple(_notes(found)),
    )


def _said(seen: Pipeline) -> Iterator[str]:
    if seen.trials:
        cause = bottleneck(seen)
        yield f"Bottleneck: {cause.name}; {cause.why}."
    for trial in seen.trials:
        workers = trial.setting.num_workers
        yield (
            f"num_workers={workers}: {number(trial.samples_per_second)} samples/s, a"
            f" batch in {number(1000 * trial.batch_seconds)} ms, the first after"
            f" {trial.first_batch_seconds:.2f} s."
        )


def _rows(seen: Pipeline) -> Iterator[tuple[str, ...]]:
    alone = _costs([t for t in seen.trials if not t.setting.num_workers])
    worker = _costs([t for t in seen.trials if t.setting.num_workers])
    for name in ("read", "decode", "transform"):
        share = getattr(seen.wall, name) if seen.wall else None
        if share is not None:
            cells = (_of(costs, share) for costs in (alone, worker))
            yield (f"  {name}", *cells, "")
    yield ("get items", _ms(alone, "fetch_wall"), _ms(worker, "fetch_wall"), "")
    yield ("collate", _ms(alone, "collate_wall"), _ms(worker, "collate_wall"), "")
    yield ("send", "", _ms(worker, "send_wall"), "")
    yield ("receive", "", "", _ms(worker, "receive_wall"))
    yield ("CPU within next()", "", "", _ms(worker, "next_cpu"))


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
    if isinstance(seen.wall, Shares):
        yield "Read, decode and transform are shares of getting items, from a trace."
    contents = seen.contents
    if contents.bytes:
        yield f"A batch holds {human(contents.bytes)} in {contents.objects} tensors."
    windows = [trial.window for trial in seen.trials]
    refused = [window.refused for window in windows if window.refused]
    marked = [w.disturbed for w in windows if w.disturbed and not w.refused]
    quality = Quality(
        windows=len(windows),
        refused=len(refused),
        why_refused=next(iter(refused), ""),
        marked=next(iter(marked), ""),
    )
    yield from closing(
        host(Machine()), quality, found.seconds, interrupted=found.interrupted
    )
