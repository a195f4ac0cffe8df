"""What each bottleneck costs, by its own evidence."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pipedoctor.bottleneck.named_bottleneck import Bottleneck
from pipedoctor.facts import Costs, Pipeline

EvidenceValues = Mapping[str, float]


class BottleneckCost(NamedTuple):
    """Seconds of a batch that the cause takes, and the total that they are a share of."""

    seconds: float
    whole: float
    of: str


def bottleneck_cost(pipeline: Pipeline, bottleneck: Bottleneck) -> BottleneckCost | None:
    """Compute the cost of a bottleneck from its evidence; None: nothing stands out."""
    compute_cost = _COST_FUNCTIONS.get(bottleneck.name)
    return compute_cost(pipeline, bottleneck.evidence) if compute_cost else None


def _batch_seconds(pipeline: Pipeline) -> float:
    known = pipeline.current_trial or next(iter(pipeline.trials))
    return known.batch_seconds


def _worker_costs(pipeline: Pipeline) -> Costs | None:
    known = sorted(
        (t for t in pipeline.trials if t.costs),
        key=lambda t: (t.costs_workers != 1, t.costs_workers),
    )
    return known[0].costs if known else None


def _storage_cost(_: Pipeline, figures: EvidenceValues) -> BottleneckCost:
    seconds, share = figures["waiting_seconds"], figures["waiting_share"]
    return BottleneckCost(seconds, seconds / share, "the time to fetch a batch")


def _make_cpu_cost(share_of: Callable[[float], float]) -> Callable[..., BottleneckCost]:
    def compute_cost(_: Pipeline, figures: EvidenceValues) -> BottleneckCost:
        fetching, collating = figures["fetch_cpu"], figures["collate_cpu"]
        part = fetching * share_of(figures["decode_share"])
        if collating > fetching:  # then it is that
            part = collating
        return BottleneckCost(part, fetching + collating, "the CPU time of a batch")

    return compute_cost


def _thread_cost(pipeline: Pipeline, figures: EvidenceValues) -> BottleneckCost:
    known = _worker_costs(pipeline)
    own = known.fetch_cpu if known else 0.0
    others = figures["other_threads"] * own
    return BottleneckCost(others, others + own, "the CPU time of a worker")


def _handover_cost(_: Pipeline, figures: EvidenceValues) -> BottleneckCost:
    seconds = figures["handover_seconds"]
    whole = seconds + figures["batch_seconds"]
    return BottleneckCost(seconds, whole, "a batch from its samples to the consumer")


def _tail_cost(pipeline: Pipeline, figures: EvidenceValues) -> BottleneckCost:
    mean = sum(wall for wall, _ in pipeline.items) / max(1, len(pipeline.items))
    whole = mean * (pipeline.start.batch_size or 1)
    return BottleneckCost(whole * figures["tail_share"], whole, "the time to fetch a batch")


def _make_step_cost(key: str) -> Callable[..., BottleneckCost]:
    def compute_cost(pipeline: Pipeline, figures: EvidenceValues) -> BottleneckCost:
        seconds = figures[key]
        return BottleneckCost(seconds, max(seconds, _batch_seconds(pipeline)), "a step")

    return compute_cost


def _quota_cost(pipeline: Pipeline, figures: EvidenceValues) -> BottleneckCost:
    whole = _batch_seconds(pipeline)
    return BottleneckCost(figures["throttled_share"] * whole, whole, "the periods of the quota")


def _page_fault_cost(pipeline: Pipeline, figures: EvidenceValues) -> BottleneckCost:
    known = _worker_costs(pipeline)
    whole = known.fetch_cpu if known else 0.0
    return BottleneckCost(min(1.0, figures["share"]) * whole, whole, "the CPU time to fetch")


def _startup_cost(pipeline: Pipeline, figures: EvidenceValues) -> BottleneckCost:
    batches = max(1.0, (pipeline.samples or 1) / (pipeline.start.batch_size or 1))
    starting = figures["startup_seconds"] / batches
    return BottleneckCost(starting, starting + figures["epoch_seconds"] / batches, "an epoch")


_COST_FUNCTIONS: Mapping[str, Callable[[Pipeline, EvidenceValues], BottleneckCost]] = {
    "storage-latency": _storage_cost,
    "storage-bandwidth": _storage_cost,
    "decode-cpu": _make_cpu_cost(lambda decode: decode),
    "transform-cpu": _make_cpu_cost(lambda decode: 1 - decode),
    "blas-threads": _thread_cost,
    "ipc-objects": _handover_cost,
    "ipc-bytes": _handover_cost,
    "stragglers": _tail_cost,
    "main-thread": _make_step_cost("step_cpu"),
    "cpu-quota": _quota_cost,
    "allocator-faults": _page_fault_cost,
    "worker-startup": _startup_cost,
    "consumer": _make_step_cost("step_seconds"),
}
