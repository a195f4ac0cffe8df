"""What a measurement of decoders says: the table, and what to switch to."""

from collections.abc import Iterator

from pipedoctor.bench.decode_order import LATE
from pipedoctor.bench.sheet import Sheet, between, closing, number, times
from pipedoctor.facts.bench import ENOUGH
from pipedoctor.facts.bench_decode import (
    REFERENCE,
    BenchDecode,
    DecodePath,
    Pixels,
    best_switch,
    keeping,
)
from pipedoctor.units import human, many

HEAD = ("", "images/s", "vs PIL", "CPU ms", "faults", "pixels")


def sheet(found: BenchDecode) -> Sheet:
    """Everything that was measured, decoding first, then decoding and resizing."""
    return Sheet(
        title=_title(found),
        said=tuple(_said(found)),
        head=HEAD,
        rows=tuple(_rows(found)),
        notes=tuple(_notes(found)),
    )


def _title(found: BenchDecode) -> str:
    images = found.images
    size = f" of {images.width}x{images.height}" if images.width else ""
    kind = "generated JPEG" if images.generated else "image"
    mean = human(images.bytes // images.count) if images.count else "0 B"
    return f"Decoding {many(images.count, kind)}{size}, {mean} each"


def _said(found: BenchDecode) -> Iterator[str]:
    switch = best_switch(found)
    if switch is not None and switch.ratio is not None:
        yield (
            f"{switch.name} is {times(switch.ratio)} as fast as PIL at decoding and"
            f" resizing; {_changes(switch)}."
        )
    elif known := found.find(REFERENCE, "resize"):
        few = known.rate is None or known.rate.windows < ENOUGH
        yield (
            "Too few windows to compare: a larger --budget allows more."
            if few
            else "Nothing that gives comparable pixels is faster than PIL for certain."
        )
    smaller = _best(found, smaller=True)
    if smaller is not None:
        yield (
            f"{smaller.name}, which decodes at a fraction of the size, is"
            f" {times(smaller.ratio)} as fast as PIL; {_changes(smaller)}."
        )
    kept = keeping(found)
    if kept is not None:
        yield (
            f"{kept.name} ({kept.task}) is {times(kept.kept)} as fast with"
            f" {kept.allocator}: its memory is not given back to the kernel after"
            " every image, and fetched again page by page."
        )


def _best(found: BenchDecode, *, smaller: bool) -> DecodePath | None:
    known = [
        path
        for path in found.paths
        if path.task == "resize"
        and path.smaller is smaller
        and path.processes == 1
        and not path.allocator
        and path.ratio
        and path.ratio.above(1.0)
    ]
    return max(known, key=lambda p: p.ratio.value if p.ratio else 0.0, default=None)


def _changes(path: DecodePath) -> str:
    """What a switch to this does to the pixels."""
    how = "" if path.antialiased else ", and it does not antialias"
    return f"{apart(path.pixels)}{how}"


def apart(pixels: Pixels | None) -> str:
    """``pixels differ from PIL's by 0.5 on average and 11 at most``."""
    if pixels is None:
        return "nobody knows how its pixels differ"
    if not pixels.largest:
        return "its pixels are the same"
    return (
        f"pixels differ from PIL's by {pixels.mean:.1f} of 255 on average"
        f" and {pixels.largest} at most"
    )


def _rows(found: BenchDecode) -> Iterator[tuple[str, ...]]:
    for task, title in (("decode", "decode:"), ("resize", "decode, resize to 224:")):
        paths = [path for path in found.paths if path.task == task]
        if any(path.rate for path in paths):
            yield (title, "", "", "", "", "")
        yield from map(_row, paths)


def _row(path: DecodePath) -> tuple[str, ...]:
    name = path.name + (f", {path.processes} processes" * (path.processes > 1))
    if path.allocator:
        name += ", memory kept"
    if path.rate is None:
        name += f" ({path.task})"
        return (name, path.unknown or "no time left", "", "", "", "")
    same = path.name == REFERENCE and not path.allocator
    return (
        name,
        between(path.rate),
        "" if same else times(path.ratio),
        number((path.cpu_seconds or 0.0) * 1000),
        f"{path.faults or 0.0:,.0f}",
        _steps(path),
    )


def _steps(path: DecodePath) -> str:
    if path.pixels is None:
        return ""
    return f"{path.pixels.mean:.1f}, {path.pixels.largest}"


def _notes(found: BenchDecode) -> Iterator[str]:
    yield (
        "The files were in memory. vs PIL: CPU time of PIL by that of this way,"
        " window by window. Faults: page faults per image. Pixels: mean and largest"
        " difference from PIL's, in steps of 255."
    )
    jagged = [path.name for path in found.paths if path.antialiased is False]
    if jagged:
        yield f"Does not antialias: {', '.join(dict.fromkeys(jagged))}."
    kept = [path for path in found.paths if path.allocator]
    for setting in dict.fromkeys(path.allocator for path in kept):
        names = dict.fromkeys(
            path.library for path in kept if path.allocator == setting
        )
        yield f"Memory kept, {', '.join(names)}: {setting}."
    for library, reason in found.broken.items():
        how = "was not measured" if reason == LATE else "cannot be used"
        yield f"{library} {how}: {reason.rstrip('.')}."
    for image in found.images.unreadable:
        yield f"{image.path} was left out: {image.reason}."
    yield from closing(
        found.host, found.quality, found.seconds, interrupted=found.interrupted
    )
