"""What makes fetching the samples of a batch slow: samples, threads, memory, storage, computing."""

from collections.abc import Iterator

from pipedoctor.bottleneck.contention import find_costs, find_no_worker_trial, find_storage_limit
from pipedoctor.bottleneck.named_bottleneck import Bottleneck
from pipedoctor.facts import Pipeline
from pipedoctor.units import format_count

MIN_SPINNING_SHARE = 0.35
"""CPU of other threads, as a share of the thread that fetches."""
MIN_FAULT_SHARE, MIN_COLLECTED_SHARE = 0.3, 0.15
"""Shares of the CPU time of making a batch, and of fetching it."""
MIN_TAIL_SHARE, JITTER_SECONDS = (
    0.3,
    1e-3,
)  # seconds that any sample may take now and then
MIN_WAITING_SHARE = 0.5
"""Share of fetching."""


def find_fetch_causes(pipeline: Pipeline) -> Iterator[Bottleneck]:
    """From those that explain others to those that are left."""
    yield from _check_stragglers(pipeline)
    yield from _check_threads(pipeline)
    yield from _check_faults(pipeline)
    yield from _check_storage(pipeline)
    yield from _check_computing(pipeline)


def _check_stragglers(pipeline: Pipeline) -> Iterator[Bottleneck]:
    walls = sorted(wall for wall, _ in pipeline.items)
    found = find_costs(pipeline)
    if not walls or walls[-1] < JITTER_SECONDS or found is None:
        return
    middle, costs = walls[len(walls) // 2], found[1]
    slow = [wall for wall in walls if wall > 5 * middle]
    share = sum(slow) / sum(walls) - costs.gc_share  # that may hit any sample
    share *= costs.fetch_wall / max(costs.fetch_wall + costs.collate_wall, 1e-9)
    if share > MIN_TAIL_SHARE and slow and len(slow) < len(walls) / 4:
        yield Bottleneck(
            name="stragglers",
            reason=f"{len(slow) / len(walls):.0%} of the samples take {share:.0%} of the "
            f"time: up to {walls[-1] * 1e3:.0f} ms, the median {middle * 1e3:.1f} ms",
            evidence={"tail_share": share, "median": middle, "slowest": walls[-1]},
        )


def _check_threads(pipeline: Pipeline) -> Iterator[Bottleneck]:
    spin = 0.0
    for trial in pipeline.trials:
        costs = trial.costs
        if costs is None or costs.fetch_wait_share > MIN_WAITING_SHARE:
            continue
        others = costs.fetch_process - costs.fetch_cpu - costs.send_cpu
        if trial.costs_workers:  # without workers torch may well use all processors
            spin = max(spin, others / max(costs.fetch_cpu, 1e-9))
    if spin > MIN_SPINNING_SHARE:
        yield Bottleneck(
            name="blas-threads",
            reason=f"other threads of a worker use {spin:.1f} times the CPU of the one "
            "that fetches: a numerical library starts its own threads",
            evidence={"other_threads": spin},
        )


def _check_faults(pipeline: Pipeline) -> Iterator[Bottleneck]:
    found = find_costs(pipeline)
    if found is None or not pipeline.fault_seconds:
        return
    costs = found[1]
    alone = find_no_worker_trial(pipeline)
    both = [costs] if alone is None or alone.costs is None else [costs, alone.costs]
    share, faults = max(
        (
            c.fetch_faults * pipeline.fault_seconds / max(c.cpu_per_batch, 1e-9),
            c.fetch_faults,
        )
        for c in both
    )
    if share > MIN_FAULT_SHARE and costs.fetch_wait_share < MIN_WAITING_SHARE:
        yield Bottleneck(
            name="allocator-faults",
            reason=f"each batch costs {faults:.0f} page faults while it is fetched, about "
            f"{min(share, 1.0):.0%} of the CPU time: memory goes back and forth "
            "between the allocator and the kernel",
            evidence={"faults": faults, "share": share},
        )


def _check_storage(pipeline: Pipeline) -> Iterator[Bottleneck]:
    found = find_costs(pipeline)
    if found is None:
        return
    one, costs = found
    share = costs.fetch_wait_share
    evidence = {"waiting_share": share, "waiting_seconds": costs.fetch_wait}
    most = find_storage_limit(pipeline, one)
    if most is not None and max(share, most.waiting_share) >= MIN_WAITING_SHARE:
        if share < MIN_WAITING_SHARE:  # it is only the others that one waits for
            evidence["waiting_share"] = most.waiting_share
            evidence["waiting_seconds"] = most.waiting
        evidence |= {"workers": float(most.workers), "samples_per_second": most.rate}
        yield Bottleneck(
            name="storage-bandwidth",
            reason=f"with {format_count(most.workers, 'worker')} a batch waits "
            f"{most.waiting * 1e3:.0f} ms for its data, with one "
            f"{costs.fetch_wait * 1e3:.0f} ms: the storage, or a lock, is saturated",
            evidence=evidence,
        )
    elif share >= MIN_WAITING_SHARE:
        yield Bottleneck(
            name="storage-latency",
            reason=f"a batch waits {costs.fetch_wait * 1e3:.0f} ms for its data and computes "
            f"{costs.fetch_cpu * 1e3:.1f} ms: {_describe_more_workers(pipeline)}",
            evidence=evidence,
        )


def _describe_more_workers(pipeline: Pipeline) -> str:
    """What more workers do, unless several of them were measured to be slower."""
    several = [t.samples_per_second for t in pipeline.trials if t.costs_workers > 1]
    alone = find_no_worker_trial(pipeline)
    if alone and several and alone.samples_per_second > max(several):
        return "workers would wait in parallel, but transfer batches more slowly"
    return "more workers would wait in parallel"


def _check_computing(pipeline: Pipeline) -> Iterator[Bottleneck]:
    found = find_costs(pipeline)
    if found is None:
        return
    costs = found[1]
    shares = pipeline.cpu
    decode = shares.decode if shares else 0.0
    evidence = {"fetch_cpu": costs.fetch_cpu, "decode_share": decode}
    evidence["collate_cpu"] = costs.collate_cpu
    name = "decode-cpu" if decode >= 0.5 else "transform-cpu"  # noqa: PLR2004
    what = "decoding" if name == "decode-cpu" else "transforms"
    if costs.gc_share > MIN_COLLECTED_SHARE:
        evidence["collector_share"] = costs.gc_share
        what += f"; {costs.gc_share:.0%} of it is Python's garbage collector, which"
        what += " gc.freeze() in worker_init_fn avoids"
    why = f"a batch takes {costs.fetch_cpu * 1e3:.1f} ms of CPU to fetch, most of it {what}"
    if costs.collate_cpu > costs.fetch_cpu:
        name = "transform-cpu"
        why = (
            f"collating a batch takes {costs.collate_cpu * 1e3:.1f} ms of CPU, "
            f"fetching its samples {costs.fetch_cpu * 1e3:.1f} ms"
        )
    yield Bottleneck(name=name, reason=why, evidence=evidence)
