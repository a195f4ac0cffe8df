"""What a measurement of storage says: the table, and what follows."""

from collections.abc import Iterator

from pipedoctor.bench.result_table import (
    ResultSheet,
    build_closing_notes,
    format_interval,
    format_number,
)
from pipedoctor.facts.bench import Spread
from pipedoctor.facts.bench_disk import BenchDisk, DiskReading
from pipedoctor.units import format_count, format_size

TABLE_HEAD = ("", "readers", "bytes/s", "reads/s", "ms each")


def build_sheet(result: BenchDisk) -> ResultSheet:
    """Every reading, and what storage means for workers."""
    return ResultSheet(
        title=_format_title(result),
        conclusions=tuple(_summarize(result)),
        header=TABLE_HEAD,
        rows=tuple(map(_format_row, result.readings)),
        notes=tuple(_build_notes(result)),
    )


def _format_title(result: BenchDisk) -> str:
    entry = result.dataset
    mount = f" on {entry.mount.fstype}" if entry.mount else ""
    stack = f", {' > '.join(entry.stack)}" if entry.stack else ""
    return f"Reading {entry.path}{mount}{stack}"


def _summarize(result: BenchDisk) -> Iterator[str]:
    hang = result.dataset.hang
    if hang is not None:
        yield f"It does not answer: {hang.doing} took more than {hang.seconds:.0f} s."
    for pattern, noun in (("small files", "small files"), ("random", "random reads")):
        one = _find_rate(result, pattern, "cold", 1)
        if one is None:
            continue
        text = f"One reader reads {format_number(one.value)} {noun} per second from storage"
        several = next((r for r in result.readings if r.pattern == pattern and r.readers > 1), None)
        together = several.operations_per_second if several else None
        if several is not None and together is not None:
            text += f", {several.readers} readers {together.value / one.value:.1f} times that"
        warm = _find_rate(result, pattern, "warm", 1)
        if warm is not None:
            text += f"; {warm.value / one.value:.1f} times as fast from the page cache"
        yield text + "."


def _find_rate(result: BenchDisk, pattern: str, cache: str, readers: int) -> Spread | None:
    key = (pattern, cache, readers)
    for reading in result.readings:
        if (reading.pattern, reading.cache, reading.readers) == key:
            return reading.operations_per_second
    return None


def _format_row(reading: DiskReading) -> tuple[str, ...]:
    name = f"{reading.pattern}, {reading.cache}"
    if reading.block:
        name = f"{reading.pattern} {format_size(reading.block)}, {reading.cache}"
    rate, each = reading.rate, reading.operations_per_second
    if rate is None or each is None:
        at = f" by {format_count(reading.readers, 'reader')}" if reading.readers > 1 else ""
        return (name + at, reading.unknown, "", "", "")
    return (
        name,
        str(reading.readers),
        format_size(int(rate.value)),
        format_interval(each),
        format_number(1000 * reading.readers / each.value),
    )


def _build_notes(result: BenchDisk) -> Iterator[str]:
    yield (
        "Cold: the files' pages were dropped from the kernel's page cache first; a cache"
        " behind it (of a controller, a host or a server) cannot be seen."
    )
    yield from build_closing_notes(
        result.host, result.quality, result.seconds, interrupted=result.interrupted
    )
