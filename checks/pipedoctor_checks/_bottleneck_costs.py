"""What each bottleneck costs, by its own evidence."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pipedoctor.bottleneck import Bottleneck
from pipedoctor.facts import Costs, Pipeline

Figures = Mapping[str, float]


class Cost(NamedTuple):
    """Seconds of a batch that the cause takes, and of what they are a share."""

    seconds: float
    whole: float
    of: str


def costs(seen: Pipeline, found: Bottleneck) -> Cost | None:
    """What the cause costs, by its own evidence; None where nothing stands out."""
    reckon = _COSTS.get(found.name)
    return reckon(seen, found.evidence) if reckon else None


def _batch(seen: Pipeline) -> float:
    known = seen.current or next(iter(seen.trials))
    return known.batch_seconds


def _worker(seen: Pipeline) -> Costs | None:
    known = sorted(
        (t for t in seen.trials if t.costs),
        key=lambda t: (t.costs_of != 1, t.costs_of),
    )
    return known[0].costs if known else None


def _waiting(_: Pipeline, figures: Figures) -> Cost:
    seconds, share = figures["waiting_seconds"], figures["waiting_share"]
    return Cost(seconds, seconds / share, "the time to fetch a batch")


def _computing(share_of: Callable[[float], float]) -> Callable[..., Cost]:
    def reckon(_: Pipeline, figures: Figures) -> Cost:
        fetching, collating = figures["fetch_cpu"], figures["collate_cpu"]
        part = fetching * share_of(figures["decode_share"])
        if collating > fetching:  # then it is that
            part = collating
        return Cost(part, fetching + collating, "the CPU time of a batch")

    return reckon


def _threads(seen: Pipeline, figures: Figures) -> Cost:
    known = _worker(seen)
    own = known.fetch_cpu if known else 0.0
    others = figures["other_threads"] * own
    return Cost(others, others + own, "the CPU time of a worker")


def _handing(_: Pipeline, figures: Figures) -> Cost:
    seconds = figures["handover_seconds"]
    whole = seconds + figures["batch_seconds"]
    return Cost(seconds, whole, "a batch from its samples to the consumer")


def _tail(seen: Pipeline, figures: Figures) -> Cost:
    mean = sum(wall for wall, _ in seen.items) / max(1, len(seen.items))
    whole = mean * (seen.start.batch_size or 1)
    return Cost(whole * figures["tail_share"], whole, "the time to fetch a batch")


def _step(key: str) -> Callable[..., Cost]:
    def reckon(seen: Pipeline, figures: Figures) -> Cost:
        seconds = figures[key]
        return Cost(seconds, max(seconds, _batch(seen)), "a step")

    return reckon


def _quota(seen: Pipeline, figures: Figures) -> Cost:
    whole = _batch(seen)
    return Cost(figures["throttled_share"] * whole, whole, "the periods of the quota")


def _faults(seen: Pipeline, figures: Figures) -> Cost:
    known = _worker(seen)
    whole = known.fetch_cpu if known else 0.0
    return Cost(min(1.0, figures["share"]) * whole, whole, "the CPU time to fetch")


def _startup(seen: Pipeline, figures: Figures) -> Cost:
    batches = max(1.0, (seen.samples or 1) / (seen.start.batch_size or 1))
    starting = figures["startup_seconds"] / batches
    return Cost(starting, starting + figures["epoch_seconds"] / batches, "an epoch")


_COSTS: Mapping[str, Callable[[Pipeline, Figures], Cost]] = {
    "storage-latency": _waiting,
    "storage-bandwidth": _waiting,
    "decode-cpu": _computing(lambda decode: decode),
    "transform-cpu": _computing(lambda decode: 1 - decode),
    "blas-threads": _threads,
    "ipc-objects": _handing,
    "ipc-bytes": _handing,
    "stragglers": _tail,
    "main-thread": _step("step_cpu"),
    "cpu-quota": _quota,
    "allocator-faults": _faults,
    "worker-startup": _startup,
    "consumer": _step("step_seconds"),
}
