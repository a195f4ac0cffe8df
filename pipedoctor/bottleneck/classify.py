"""Which step of a probed pipeline is the scarce one, with the evidence."""

from collections.abc import Iterator

from pipedoctor.bottleneck.contention import find_no_worker_trial
from pipedoctor.bottleneck.fetch_causes import find_fetch_causes
from pipedoctor.bottleneck.named_bottleneck import Bottleneck
from pipedoctor.facts import Pipeline
from pipedoctor.units import format_count

HIDING_RATIO = 1.05
"""A consumer this much slower than one worker hides all of its work."""
MAX_WAIT_SHARE = 0.15
"""Share of a step that the consumer may wait for data and still be the bottleneck."""
MIN_THROTTLED_SHARE = 0.2
MIN_HANDOVER_SHARE = 0.45
"""Share of a batch's way that is handing it over."""
SMALL_TENSOR_BYTES = 64 << 10
"""Bytes below which a tensor costs by the piece."""
MIN_STARTUP_SHARE = 0.3
"""Share of an epoch."""


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
    yield from find_fetch_causes(pipeline)


def _check_quota(pipeline: Pipeline) -> Iterator[Bottleneck]:
    shares = [t.window.throttled_share or 0.0 for t in pipeline.trials]
    worst = max(shares, default=0.0)
    if "quota" in pipeline.cpus_bound and worst > MIN_THROTTLED_SHARE:
        yield Bottleneck(
            name="cpu-quota",
            reason=f"the cgroup may use {format_count(pipeline.cpus, 'CPU')} and was throttled in "
            f"{worst:.0%} of its periods",
            evidence={"cpus": pipeline.cpus, "throttled_share": worst},
        )


def _check_consumer(pipeline: Pipeline) -> Iterator[Bottleneck]:
    """Does the consumer take longer than one worker, or hardly wait as it is?"""
    one = next((t for t in pipeline.trials if t.costs_workers == 1), None) or find_no_worker_trial(
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
    alone = find_no_worker_trial(pipeline)
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
