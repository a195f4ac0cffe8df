"""Which step of a probed pipeline is the scarce one, with the evidence."""

from collections.abc import Iterator

import msgspec

from pipedoctor.bottleneck.contention import find_storage_limit
from pipedoctor.facts import Costs, Pipeline, Trial
from pipedoctor.units import format_count

BOTTLENECK_NAMES = (
    "storage-latency",
    "storage-bandwidth",
    "decode-cpu",
    "transform-cpu",
    "blas-threads",
    "ipc-objects",
    "ipc-bytes",
    "stragglers",
    "main-thread",
    "cpu-quota",
    "allocator-faults",
    "worker-startup",
    "consumer",
    "unknown",
)

HIDING_RATIO = 1.05
"""A consumer this much slower than one worker hides all of its work."""
MAX_WAIT_SHARE = 0.15
"""Share of a step that the consumer may wait for data and still be the bottleneck."""
MIN_THROTTLED_SHARE = 0.2
MIN_SPINNING_SHARE = 0.35
"""CPU of other threads, as a share of the thread that fetches."""
MIN_FAULT_SHARE, MIN_COLLECTED_SHARE = 0.3, 0.15
"""Shares of the CPU time of making a batch, and of fetching it."""
MIN_HANDOVER_SHARE = 0.45
"""Share of a batch's way that is handing it over."""
SMALL_TENSOR_BYTES = 64 << 10
"""Bytes below which a tensor costs by the piece."""
MIN_TAIL_SHARE, JITTER_SECONDS = (
    0.3,
    1e-3,
)  # seconds that any sample may take now and then
MIN_STARTUP_SHARE = 0.3
"""Share of an epoch."""
MIN_WAITING_SHARE = 0.5
"""Share of fetching."""


class Bottleneck(msgspec.Struct, frozen=True, kw_only=True):
    """A name of `BOTTLENECK_NAMES`, why in one sentence, and the figures behind it."""

    name: str
    reason: str
    evidence: dict[str, float]


def classify_bottleneck(pipeline: Pipeline) -> Bottleneck:
    """The first cause whose figures are there; `unknown` where none is."""
    why = "no stage dominates in the measurement"
    return next(_find_causes(pipeline), Bottleneck(name="unknown", reason=why, evidence={}))


def _find_causes(pipeline: Pipeline) -> Iterator[Bottleneck]:
    """From those that explain others to those that are left."""
    yield from _check_quota(pipeline)
    yield from _check_consumer(pipeline)
    yield from _check_startup(pipeline)
    yield from _check_handover(pipeline)
    yield from _check_stragglers(pipeline)
    yield from _check_threads(pipeline)
    yield from _check_faults(pipeline)
    yield from _check_storage(pipeline)
    yield from _check_computing(pipeline)


def _find_costs(pipeline: Pipeline) -> tuple[Trial, Costs] | None:
    """The costs in a worker if there are any, else those without."""
    found = [t for t in pipeline.trials if t.costs]
    found.sort(key=lambda t: (t.costs_workers != 1, t.costs_workers == 0, t.costs_workers))
    if not found or found[0].costs is None:
        return None
    return found[0], found[0].costs


def _find_no_worker_trial(pipeline: Pipeline) -> Trial | None:
    return next((t for t in pipeline.trials if t.costs_workers == 0 and t.costs), None)


def _check_quota(pipeline: Pipeline) -> Iterator[Bottleneck]:
    shares = [t.window.throttled_share or 0.0 for t in pipeline.trials]
    worst = max(shares, default=0.0)
    if "quota" in pipeline.cpus_bound and worst > MIN_THROTTLED_SHARE:
        yield Bottleneck(
            name="cpu-quota",
            reason=f"the cgroup may use {pipeline.cpus:g} CPUs and was throttled in "
            f"{worst:.0%} of its periods",
            evidence={"cpus": pipeline.cpus, "throttled_share": worst},
        )


def _check_consumer(pipeline: Pipeline) -> Iterator[Bottleneck]:
    """Does the consumer take longer than one worker, or hardly wait as it is?"""
    one = next((t for t in pipeline.trials if t.costs_workers == 1), None) or _find_no_worker_trial(
        pipeline
    )
    if one is None or one.costs is None:
        return
    step = min(t.step_seconds for t in pipeline.trials)
    computing = min(t.step_cpu for t in pipeline.trials)
    costs = one.costs
    made = costs.fetch_wall + costs.collate_wall + costs.send_cpu
    current = pipeline.current_trial
    waits = current is not None and (current.wait_seconds < MAX_WAIT_SHARE * current.batch_seconds)
    hidden = step > HIDING_RATIO * made
    if step < 1e-4 or not (hidden or waits):  # noqa: PLR2004  (no consumer at all)
        return
    evidence = {"step_seconds": step, "step_cpu": computing, "batch_seconds": made}
    kernels = max(t.kernel_seconds or 0.0 for t in pipeline.trials)
    if kernels:
        evidence["kernel_seconds"] = kernels
    if kernels <= step / 2 < computing:  # who waits for the GPU seems to compute
        why = f"the main process computes {computing * 1e3:.1f} ms for each batch"
        yield Bottleneck(name="main-thread", reason=why, evidence=evidence)
        return
    on_gpu = f" ({kernels * 1e3:.1f} ms on the GPU)" if kernels > step / 2 else ""
    why = f"a step takes {step * 1e3:.1f} ms{on_gpu}"
    why += f", one worker produces a batch in {made * 1e3:.1f} ms"
    yield Bottleneck(name="consumer", reason=why, evidence=evidence)


def _check_startup(pipeline: Pipeline) -> Iterator[Bottleneck]:
    current = pipeline.current_trial
    if pipeline.samples is None or current is None or not current.costs_workers:
        return
    if pipeline.start.persistent_workers:
        return
    startup = pipeline.startup_seconds or current.first_batch_seconds
    startup = max(0.0, startup - current.batch_seconds)
    epoch = pipeline.samples / current.samples_per_second
    if startup > MIN_STARTUP_SHARE * (epoch + startup):
        yield Bottleneck(
            name="worker-startup",
            reason=f"starting the workers takes {startup:.2f} s of every epoch, "
            f"its batches {epoch:.2f} s",
            evidence={"startup_seconds": startup, "epoch_seconds": epoch},
        )


def _check_handover(pipeline: Pipeline) -> Iterator[Bottleneck]:
    one = next((t for t in pipeline.trials if t.costs_workers == 1 and t.costs), None)
    if one is None or one.costs is None:
        return
    costs = one.costs
    alone = _find_no_worker_trial(pipeline)
    fresh = 0.0
    if alone is not None and alone.costs is not None:
        fresh = max(0.0, costs.collate_cpu - alone.costs.collate_cpu)
    hand = costs.send_cpu + costs.receive_cpu + fresh
    made = costs.fetch_wall + costs.collate_cpu - fresh
    share = hand / max(hand + made, 1e-9)
    if share < MIN_HANDOVER_SHARE:
        return
    objects = max(1, pipeline.contents.objects)
    small = pipeline.contents.bytes / objects < SMALL_TENSOR_BYTES
    evidence = {
        "handover_seconds": hand,
        "batch_seconds": made,
        "objects": float(objects),
        "batch_bytes": float(pipeline.contents.bytes),
    }
    took = f"transferring a batch takes {hand * 1e3:.1f} ms, producing it {made * 1e3:.1f}"
    if small:
        why = f"{took}: it has {format_count(objects, 'tensor')}"
        yield Bottleneck(name="ipc-objects", reason=why, evidence=evidence)
    else:
        why = f"{took}: it has {pipeline.contents.bytes / 2**20:.1f} MiB"
        yield Bottleneck(name="ipc-bytes", reason=why, evidence=evidence)


def _check_stragglers(pipeline: Pipeline) -> Iterator[Bottleneck]:
    walls = sorted(wall for wall, _ in pipeline.items)
    found = _find_costs(pipeline)
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
    found = _find_costs(pipeline)
    if found is None or not pipeline.fault_seconds:
        return
    costs = found[1]
    alone = _find_no_worker_trial(pipeline)
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
    found = _find_costs(pipeline)
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
    alone = _find_no_worker_trial(pipeline)
    if alone and several and alone.samples_per_second > max(several):
        return "workers would wait in parallel, but transfer batches more slowly"
    return "more workers would wait in parallel"


def _check_computing(pipeline: Pipeline) -> Iterator[Bottleneck]:
    found = _find_costs(pipeline)
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
