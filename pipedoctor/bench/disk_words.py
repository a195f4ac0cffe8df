"""What a measurement of storage says: the table, and what follows."""

from collections.abc import Iterator

from pipedoctor.bench.sheet import Sheet, between, closing, number
from pipedoctor.facts.bench import Spread
from pipedoctor.facts.bench_disk import BenchDisk, DiskReading
from pipedoctor.units import human, many

HEAD = ("", "readers", "bytes/s", "reads/s", "ms each")


def sheet(found: BenchDisk) -> Sheet:
    """Every reading, and what storage means for workers."""
    return Sheet(
        title=_title(found),
        said=tuple(_said(found)),
        head=HEAD,
        rows=tuple(map(_row, found.readings)),
        notes=tuple(_notes(found)),
    )


def _title(found: BenchDisk) -> str:
    entry = found.dataset
    mount = f" on {entry.mount.fstype}" if entry.mount else ""
    stack = f", {' > '.join(entry.stack)}" if entry.stack else ""
    return f"Reading {entry.path}{mount}{stack}"


def _said(found: BenchDisk) -> Iterator[str]:
    hang = found.dataset.hang
    if hang is not None:
        yield f"It does not answer: {hang.doing} took more than {hang.seconds:.0f} s."
    for pattern, noun in (("small files", "small files"), ("random", "random reads")):
        one = _rate(found, pattern, "cold", 1)
        if one is None:
            continue
        text = f"One reader gets {number(one.value)} {noun} a second from storage"
        several = next(
            (r for r in found.readings if r.pattern == pattern and r.readers > 1), None
        )
        together = several.operations_per_second if several else None
        if several is not None and together is not None:
            text += (
                f", {several.readers} get {together.value / one.value:.1f} times that"
            )
        warm = _rate(found, pattern, "warm", 1)
        if warm is not None:
            text += f"; from the page cache {warm.value / one.value:.1f} times"
        yield text + "."


def _rate(found: BenchDisk, pattern: str, cache: str, readers: int) -> Spread | None:
    wanted = (pattern, cache, readers)
    for reading in found.readings:
        if (reading.pattern, reading.cache, reading.readers) == wanted:
            return reading.operations_per_second
    return None


def _row(reading: DiskReading) -> tuple[str, ...]:
    name = f"{reading.pattern}, {reading.cache}"
    if reading.block:
        name = f"{reading.pattern} {human(reading.block)}, {reading.cache}"
    rate, each = reading.rate, reading.operations_per_second
    if rate is None or each is None:
        at = f" by {many(reading.readers, 'reader')}" if reading.readers > 1 else ""
        return (name + at, reading.unknown, "", "", "")
    return (
        name,
        str(reading.readers),
        human(int(rate.value)),
        between(each),
        number(1000 * reading.readers / each.value),
    )


def _notes(found: BenchDisk) -> Iterator[str]:
    yield (
        "Cold: the files' pages were dropped from this kernel's cache before; a cache"
        " behind it (of a controller, a host or a server) cannot be seen."
    )
    yield from closing(
        found.host, found.quality, found.seconds, interrupted=found.interrupted
    )
