"""What a measurement of copies to the GPU says."""

from collections.abc import Iterator

from pipedoctor.bench.result_table import (
    ResultSheet,
    build_closing_notes,
    format_interval,
    format_number,
)
from pipedoctor.facts.bench import Spread
from pipedoctor.facts.bench_transfer import BenchTransfer
from pipedoctor.units import format_size

TABLE_HEAD = ("", "bytes/s", "ms each", "copy hidden")


def build_sheet(result: BenchTransfer) -> ResultSheet:
    """Copies first, then copies beside computing."""
    return ResultSheet(
        title=f"Copying {format_size(result.batch_bytes)} to {result.device}",
        conclusions=tuple(_summarize(result)),
        header=TABLE_HEAD,
        rows=tuple(_build_rows(result)),
        notes=tuple(_build_notes(result)),
    )


def _summarize(result: BenchTransfer) -> Iterator[str]:
    rates = {copy.name: copy.rate for copy in result.copies}
    pageable, pinned = rates.get("pageable"), rates.get("pinned, non_blocking")
    if pageable and pinned:
        factor = pinned.value / pageable.value
        yield f"Pinned memory is copied {factor:.2f} times as fast as pageable memory."
    hidden = {step.name: step.hidden for step in result.steps}
    side = hidden.get("prefetched on a side stream")
    if side is not None:
        yield f"A side stream overlaps {side:.0%} of the copy with computation."


def _build_rows(result: BenchTransfer) -> Iterator[tuple[str, ...]]:
    for copy in result.copies:
        each = format_number(1000 * result.batch_bytes / copy.rate.value)
        yield (copy.name, format_size(int(copy.rate.value)), each, "")
    for step in result.steps:
        hidden = "" if step.hidden is None else f"{step.hidden:.0%}"
        milliseconds = step.seconds.value * 1000
        yield (f"step: {step.name}", "", format_number(milliseconds), hidden)


def _build_notes(result: BenchTransfer) -> Iterator[str]:
    if result.compute_seconds:
        yield (
            "A step copies a batch and computes; the computation alone takes"
            f" {format_number(result.compute_seconds * 1000)} ms, a little more than a pinned"
            " copy."
        )
    returns = [copy for copy in result.copies if copy.name.endswith("non_blocking")]
    for copy in returns:
        yield f"{copy.name} returns after {_format_milliseconds(copy.returns)}."
    yield "It is not known whether other processes used the GPU meanwhile."
    yield f"torch {result.torch}."
    yield from build_closing_notes(
        result.host, result.quality, result.seconds, interrupted=result.interrupted
    )


def _format_milliseconds(seconds: Spread) -> str:
    value, low, high = (1000 * part for part in (seconds.value, seconds.low, seconds.high))
    spread = Spread(value=value, low=low, high=high, windows=seconds.windows)
    return format_interval(spread, " ms")
