"""Which step of a probed pipeline is the scarce one, with the evidence."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipedoctor.facts import Costs, Pipeline, Trial
from pipedoctor.tune.sharing import ceiling
from pipedoctor.units import many

NAMES = (
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

HIDDEN = 1.05
"""A consumer this much slower than one worker hides all of its work."""
WAITED = 0.15
"""Share of a step that the consumer may wait for data and still be the bottleneck."""
THROTTLED = 0.2
SPINNING = 0.35
"""CPU of other threads, as a share of the thread that fetches."""
FAULTS, COLLECTED = 0.3, 0.15
"""Shares of the CPU time of making a batch, and of fetching it."""
HANDED = 0.45
"""Share of a batch's way that is handing it over."""
SMALL = 64 << 10
"""Bytes below which a tensor costs by the piece."""
TAIL, JITTER = 0.3, 1e-3  # seconds that any sample may take now and then
STARTED = 0.3
"""Share of an epoch."""
WAITING = 0.5
"""Share of fetching."""


@dataclass(frozen=True, kw_only=True)
class Bottleneck:
    """A name of `NAMES`, why in one sentence, and the figures behind it."""

    name: str
    why: str
    evidence: dict[str, float]


def bottleneck(seen: Pipeline) -> Bottleneck:
    """The first cause whose figures are there; `unknown` where none is."""
    why = "no step stands out in what was measured"
    return next(_causes(seen), Bottleneck(name="unknown", why=why, evidence={}))


def _causes(seen: Pipeline) -> Iterator[Bottleneck]:
    """From those that explain others to those that are left."""
    yield from _quota(seen)
    yield from _consumer(seen)
    yield from _startup(seen)
    yield from _handover(seen)
    yield from _stragglers(seen)
    yield from _threads(seen)
    yield from _faults(seen)
    yield from _storage(seen)
    yield from _computing(seen)


def _costs(seen: Pipeline) -> tuple[Trial, Costs] | None:
    """The costs in a worker if there are any, else those without."""
    found = [t for t in seen.trials if t.costs]
    found.sort(key=lambda t: (t.costs_of != 1, t.costs_of == 0, t.costs_of))
    if not found or found[0].costs is None:
        return None
    return found[0], found[0].costs


def _alone(seen: Pipeline) -> Trial | None:
    return next((t for t in seen.trials if t.costs_of == 0 and t.costs), None)


def _quota(seen: Pipeline) -> Iterator[Bottleneck]:
    shares = [t.window.throttled_share or 0.0 for t in seen.trials]
    worst = max(shares, default=0.0)
    if "quota" in seen.cpus_bound and worst > THROTTLED:
        yield Bottleneck(
            name="cpu-quota",
            why=f"the control group may use {seen.cpus:g} CPUs and was stopped in "
            f"{worst:.0%} of its periods",
            evidence={"cpus": seen.cpus, "throttled_share": worst},
        )


def _consumer(seen: Pipeline) -> Iterator[Bottleneck]:
    """Does the consumer take longer than one worker, or hardly wait as it is?"""
    one = next((t for t in seen.trials if t.costs_of == 1), None) or _alone(seen)
    if one is None or one.costs is None:
        return
    step = min(t.step_seconds for t in seen.trials)
    computing = min(t.step_cpu for t in seen.trials)
    costs = one.costs
    made = costs.fetch_wall + costs.collate_wall + costs.send_cpu
    current = seen.current
    waits = current is not None and (
        current.wait_seconds < WAITED * current.batch_seconds
    )
    hidden = step > HIDDEN * made
    if step < 1e-4 or not (hidden or waits):  # noqa: PLR2004  (no consumer at all)
        return
    evidence = {"step_seconds": step, "step_cpu": computing, "batch_seconds": made}
    if computing > step / 2:
        why = f"the main process computes {computing * 1e3:.1f} ms for each batch"
        yield Bottleneck(name="main-thread", why=why, evidence=evidence)
        return
    why = (
        f"a step takes {step * 1e3:.1f} ms, one worker makes a batch in "
        f"{made * 1e3:.1f} ms"
    )
    yield Bottleneck(name="consumer", why=why, evidence=evidence)


def _startup(seen: Pipeline) -> Iterator[Bottleneck]:
    current = seen.current
    if seen.samples is None or current is None or not current.costs_of:
        return
    if seen.start.persistent_workers:
        return
    startup = seen.startup_seconds or current.first_batch_seconds
    startup = max(0.0, startup - current.batch_seconds)
    epoch = seen.samples / current.samples_per_second
    if startup > STARTED * (epoch + startup):
        yield Bottleneck(
            name="worker-startup",
            why=f"starting the workers takes {startup:.2f} s of every epoch, "
            f"its batches {epoch:.2f} s",
            evidence={"startup_seconds": startup, "epoch_seconds": epoch},
        )


def _handover(seen: Pipeline) -> Iterator[Bottleneck]:
    one = next((t for t in seen.trials if t.costs_of == 1 and t.costs), None)
    if one is None or one.costs is None:
        return
    costs = one.costs
    alone = _alone(seen)
    fresh = 0.0
    if alone is not None and alone.costs is not None:
        fresh = max(0.0, costs.collate_cpu - alone.costs.collate_cpu)
    hand = costs.send_cpu + costs.receive_cpu + fresh
    made = costs.fetch_wall + costs.collate_cpu - fresh
    share = hand / max(hand + made, 1e-9)
    if share < HANDED:
        return
    objects = max(1, seen.contents.objects)
    small = seen.contents.bytes / objects < SMALL
    evidence = {
        "handover_seconds": hand,
        "batch_seconds": made,
        "objects": float(objects),
        "batch_bytes": float(seen.contents.bytes),
    }
    took = f"handing a batch over takes {hand * 1e3:.1f} ms, making it {made * 1e3:.1f}"
    if small:
        why = f"{took}: it has {many(objects, 'tensor')}"
        yield Bottleneck(name="ipc-objects", why=why, evidence=evidence)
    else:
        why = f"{took}: it has {seen.contents.bytes / 2**20:.1f} MiB"
        yield Bottleneck(name="ipc-bytes", why=why, evidence=evidence)


def _stragglers(seen: Pipeline) -> Iterator[Bottleneck]:
    walls = sorted(wall for wall, _ in seen.items)
    found = _costs(seen)
    if not walls or walls[-1] < JITTER or found is None:
        return
    middle, costs = walls[len(walls) // 2], found[1]
    slow = [wall for wall in walls if wall > 5 * middle]
    share = sum(slow) / sum(walls) - costs.collected  # that may hit any sample
    share *= costs.fetch_wall / max(costs.fetch_wall + costs.collate_wall, 1e-9)
    if share > TAIL and slow and len(slow) < len(walls) / 4:
        yield Bottleneck(
            name="stragglers",
            why=f"{len(slow) / len(walls):.0%} of the samples take {share:.0%} of the "
            f"time: up to {walls[-1] * 1e3:.0f} ms, the median {middle * 1e3:.1f} ms",
            evidence={"tail_share": share, "median": middle, "slowest": walls[-1]},
        )


def _threads(seen: Pipeline) -> Iterator[Bottleneck]:
    spin = 0.0
    for trial in seen.trials:
        costs = trial.costs
        if costs is None or costs.waiting_share > WAITING:
            continue
        others = costs.fetch_process - costs.fetch_cpu - costs.send_cpu
        if trial.costs_of:  # without workers torch may well use all processors
            spin = max(spin, others / max(costs.fetch_cpu, 1e-9))
    if spin > SPINNING:
        yield Bottleneck(
            name="blas-threads",
            why=f"other threads of a worker use {spin:.1f} times the CPU of the one "
            "that fetches: a numerical library starts its own",
            evidence={"other_threads": spin},
        )


def _faults(seen: Pipeline) -> Iterator[Bottleneck]:
    found = _costs(seen)
    if found is None or not seen.fault_seconds:
        return
    costs = found[1]
    alone = _alone(seen)
    both = [costs] if alone is None or alone.costs is None else [costs, alone.costs]
    share, faults = max(
        (c.fetch_faults * seen.fault_seconds / max(c.made_cpu, 1e-9), c.fetch_faults)
        for c in both
    )
    if share > FAULTS and costs.waiting_share < WAITING:
        yield Bottleneck(
            name="allocator-faults",
            why=f"each batch costs {faults:.0f} page faults while it is fetched, about "
            f"{min(share, 1.0):.0%} of the CPU time: memory goes back and forth "
            "between the allocator and the kernel",
            evidence={"faults": faults, "share": share},
        )


def _storage(seen: Pipeline) -> Iterator[Bottleneck]:
    found = _costs(seen)
    if found is None:
        return
    one, costs = found
    share = costs.waiting_share
    evidence = {"waiting_share": share, "waiting_seconds": costs.waiting}
    most = ceiling(seen, one)
    if most is not None and max(share, most.waiting_share) >= WAITING:
        if share < WAITING:  # it is only the others that one waits for
            evidence["waiting_share"] = most.waiting_share
            evidence["waiting_seconds"] = most.waiting
        evidence |= {"workers": float(most.workers), "samples_per_second": most.rate}
        yield Bottleneck(
            name="storage-bandwidth",
            why=f"with {many(most.workers, 'worker')} a batch waits "
            f"{most.waiting * 1e3:.0f} ms for its data, with one "
            f"{costs.waiting * 1e3:.0f} ms: the storage, or a lock, gives no more",
            evidence=evidence,
        )
    elif share >= WAITING:
        yield Bottleneck(
            name="storage-latency",
            why=f"a batch waits {costs.waiting * 1e3:.0f} ms for its data and computes "
            f"{costs.fetch_cpu * 1e3:.1f} ms: {_more(seen)}",
            evidence=evidence,
        )


def _more(seen: Pipeline) -> str:
    """What more workers do, unless several of them were measured to be slower."""
    several = [t.samples_per_second for t in seen.trials if t.costs_of > 1]
    alone = _alone(seen)
    if alone and several and alone.samples_per_second > max(several):
        return "workers would wait at the same time, but hand over more slowly"
    return "more workers wait at the same time"


def _computing(seen: Pipeline) -> Iterator[Bottleneck]:
    found = _costs(seen)
    if found is None:
        return
    costs = found[1]
    shares = seen.cpu
    decode = shares.decode if shares else 0.0
    evidence = {"fetch_cpu": costs.fetch_cpu, "decode_share": decode}
    evidence["collate_cpu"] = costs.collate_cpu
    name = "decode-cpu" if decode >= 0.5 else "transform-cpu"  # noqa: PLR2004
    what = "decoding" if name == "decode-cpu" else "transforms"
    if costs.collected > COLLECTED:
        evidence["collector_share"] = costs.collected
        what += f"; {costs.collected:.0%} of it is Python's garbage collector, which"
        what += " gc.freeze() in worker_init_fn spares"
    why = (
        f"a batch takes {costs.fetch_cpu * 1e3:.1f} ms of CPU to fetch, most of it "
        f"{what}"
    )
    if costs.collate_cpu > costs.fetch_cpu:
        name = "transform-cpu"
        why = (
            f"to collate a batch takes {costs.collate_cpu * 1e3:.1f} ms of CPU, to "
            f"fetch its samples {costs.fetch_cpu * 1e3:.1f} ms"
        )
    yield Bottleneck(name=name, why=why, evidence=evidence)
