"""What all bottlenecks share: who is it, what does it cost, which setting to paste."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pipedoctor.bottleneck import Bottleneck, bottleneck
from pipedoctor.check import CannotJudge, Confidence, Counterfactual, Finding, Severity
from pipedoctor.facts import Costs, Pipeline, Setting
from pipedoctor.remedy import Remedy, in_code

TUNED = Counterfactual(tuned=True)
_UNCOLLECTED = Counterfactual(uncollected=True)


class Cost(NamedTuple):
    """Seconds of a batch that the cause takes, and of what they are a share."""

    seconds: float
    whole: float
    of: str


def cause(seen: Pipeline, name: str) -> Bottleneck | None:
    """The bottleneck if it is this one; raises CannotJudge where none was measured."""
    if not seen.trials:
        message = f"no batch of {seen.target} was measured"
        raise CannotJudge(message)
    found = bottleneck(seen)
    return found if found.name == name else None


def said(
    seen: Pipeline,
    found: Bottleneck,
    *remedies: Remedy,
    severity: Severity = Severity.SLOWS,
    counterfactual: Counterfactual | None = None,
) -> Finding:
    """The cause with its evidence: seconds for each sample, and their share."""
    disturbed = next((t.disturbed for t in seen.trials if t.disturbed), "")
    evidence: dict[str, Any] = {"target": seen.target}
    cost = costs(seen, found)
    if cost is not None:
        batch = seen.start.batch_size or 1
        share = min(1.0, cost.seconds / max(cost.whole, 1e-12))
        evidence["seconds_per_sample"] = cost.seconds / batch
        evidence["share"] = round(share, 3)
        evidence["share_of"] = cost.of
    evidence |= {key: round(value, 6) for key, value in found.evidence.items()}
    if disturbed:
        evidence["disturbed"] = disturbed
    doubtful = bool(disturbed) or found.name == "unknown"
    return Finding(
        severity=severity,
        confidence=Confidence.POSSIBLE if doubtful else Confidence.LIKELY,
        summary=f"bottleneck of {seen.target}: {found.why}",
        evidence=evidence,
        remedies=remedies,
        counterfactual=counterfactual,
    )


def faster_setting(seen: Pipeline) -> tuple[Remedy, ...]:
    """The setting that was measured to be faster, to paste; none where none was."""
    best, start = seen.best, seen.start
    if best is None or not differs(best, start):
        return ()
    title = "Use the setting that was measured to be the fastest"
    return (in_code(title, f"DataLoader(..., {written(best, start)})"),)


def computed(found: Bottleneck) -> Counterfactual:
    """What the first remedy of computing changes."""
    return _UNCOLLECTED if "collector_share" in found.evidence else TUNED


def uncollected(found: Bottleneck) -> tuple[Remedy, ...]:
    """What spares workers Python's garbage collector; none where it costs little."""
    if "collector_share" not in found.evidence:
        return ()
    title = "Let the garbage collector of each worker skip what was there before"
    snippet = (
        "import gc\n\n\n"
        "def skip_the_past(worker_id):\n"
        "    gc.freeze()\n\n\n"
        "DataLoader(..., worker_init_fn=skip_the_past)"
    )
    return (in_code(title, snippet),)


def differs(best: Setting, start: Setting) -> bool:
    """Is there anything to change?"""
    return bool(written(best, start))


def written(best: Setting, start: Setting) -> str:
    """``num_workers=8, prefetch_factor=4``: what differs."""
    names = ("num_workers", "prefetch_factor", "in_order", "persistent_workers")
    pairs = ((name, getattr(best, name)) for name in names)
    changed = [f"{k}={v!r}" for k, v in pairs if v != getattr(start, k)]
    return ", ".join(changed)


def costs(seen: Pipeline, found: Bottleneck) -> Cost | None:
    """What the cause costs, by its own evidence; None where nothing stands out."""
    reckon = _COSTS.get(found.name)
    return reckon(seen, found.evidence) if reckon else None


Figures = Mapping[str, float]


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
