"""What a measurement of copies to the GPU says."""

from collections.abc import Iterator

from pipedoctor.bench.sheet import Sheet, between, closing, number
from pipedoctor.facts.bench import Spread
from pipedoctor.facts.bench_transfer import BenchTransfer
from pipedoctor.units import human

HEAD = ("", "bytes/s", "ms each", "copy hidden")


def sheet(found: BenchTransfer) -> Sheet:
    """Copies first, then copies beside computing."""
    return Sheet(
        title=f"Copying {human(found.batch_bytes)} to {found.device}",
        said=tuple(_said(found)),
        head=HEAD,
        rows=tuple(_rows(found)),
        notes=tuple(_notes(found)),
    )


def _said(found: BenchTransfer) -> Iterator[str]:
    rates = {copy.name: copy.rate for copy in found.copies}
    pageable, pinned = rates.get("pageable"), rates.get("pinned, non_blocking")
    if pageable and pinned:
        factor = pinned.value / pageable.value
        yield f"Pinned memory is copied {factor:.2f} times as fast as pageable memory."
    hidden = {step.name: step.hidden for step in found.steps}
    side = hidden.get("prefetched on a side stream")
    if side is not None:
        yield f"A side stream hides {side:.0%} of the copy behind computing."


def _rows(found: BenchTransfer) -> Iterator[tuple[str, ...]]:
    for copy in found.copies:
        each = number(1000 * found.batch_bytes / copy.rate.value)
        yield (copy.name, human(int(copy.rate.value)), each, "")
    for step in found.steps:
        hidden = "" if step.hidden is None else f"{step.hidden:.0%}"
        milliseconds = step.seconds.value * 1000
        yield (f"step: {step.name}", "", number(milliseconds), hidden)


def _notes(found: BenchTransfer) -> Iterator[str]:
    if found.compute_seconds:
        yield (
            "A step copies a batch and computes; computing alone takes"
            f" {number(found.compute_seconds * 1000)} ms, a little more than a pinned"
            " copy."
        )
    returns = [copy for copy in found.copies if copy.name.endswith("non_blocking")]
    for copy in returns:
        yield f"{copy.name} gives the CPU back after {_milliseconds(copy.returns)}."
    yield "Whether others used the GPU meanwhile is not known."
    yield f"torch {found.torch}."
    yield from closing(
        found.host, found.quality, found.seconds, interrupted=found.interrupted
    )


def _milliseconds(found: Spread) -> str:
    value, low, high = (1000 * part for part in (found.value, found.low, found.high))
    spread = Spread(value=value, low=low, high=high, windows=found.windows)
    return between(spread, " ms")
