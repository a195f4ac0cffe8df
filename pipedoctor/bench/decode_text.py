"""What a measurement of decoders says: the table, and what to switch to."""

from collections.abc import Iterator

from pipedoctor.bench.result_table import (
    ResultSheet,
    build_closing_notes,
    format_interval,
    format_number,
    format_ratio,
)
from pipedoctor.facts.bench import MIN_WINDOWS, NO_TIME_LEFT
from pipedoctor.facts.bench_decode import (
    REFERENCE_PATH,
    BenchDecode,
    DecodePath,
    Pixels,
    find_best_allocator,
    find_best_switch,
)
from pipedoctor.units import format_count, format_size

TABLE_HEAD = ("", "images/s", "vs PIL", "CPU ms", "faults", "pixels")


def build_sheet(result: BenchDecode) -> ResultSheet:
    """Everything that was measured, decoding first, then decoding and resizing."""
    return ResultSheet(
        title=_format_title(result),
        conclusions=tuple(_summarize(result)),
        header=TABLE_HEAD,
        rows=tuple(_build_rows(result)),
        notes=tuple(_build_notes(result)),
    )


def _format_title(result: BenchDecode) -> str:
    images = result.images
    size = f" of {images.width}x{images.height}" if images.width else ""
    kind = "generated JPEG" if images.generated else "image"
    mean = format_size(images.bytes // images.count) if images.count else "0 B"
    return f"Decoding {format_count(images.count, kind)}{size}, {mean} each"


def _summarize(result: BenchDecode) -> Iterator[str]:
    switch = find_best_switch(result)
    if switch is not None and switch.ratio is not None:
        yield (
            f"{switch.name} is {format_ratio(switch.ratio)} as fast as PIL at decoding and"
            f" resizing; {_describe_switch(switch)}."
        )
    elif known := result.find(REFERENCE_PATH, "resize"):
        few = known.rate is None or known.rate.windows < MIN_WINDOWS
        yield (
            "Too few windows to compare: increase --budget."
            if few
            else "No decoder with comparable pixels is significantly faster than PIL."
        )
    smaller = _find_best(result, smaller=True)
    if smaller is not None:
        yield (
            f"{smaller.name}, which decodes at a fraction of the size, is"
            f" {format_ratio(smaller.ratio)} as fast as PIL; {_describe_switch(smaller)}."
        )
    reusing = find_best_allocator(result)
    if reusing is not None:
        yield (
            f"{reusing.name} ({reusing.task}) is {format_ratio(reusing.kept)} as fast with"
            f" {reusing.allocator}: memory is reused instead of being returned to the"
            " kernel after every image."
        )


def _find_best(result: BenchDecode, *, smaller: bool) -> DecodePath | None:
    candidates = [
        path
        for path in result.paths
        if path.task == "resize"
        and path.smaller is smaller
        and path.processes == 1
        and not path.allocator
        and path.ratio
        and path.ratio.is_above(1.0)
    ]
    return max(candidates, key=lambda p: p.ratio.value if p.ratio else 0.0, default=None)


def _describe_switch(path: DecodePath) -> str:
    """What a switch to this does to the pixels."""
    how = "" if path.antialiased else ", and it does not antialias"
    return f"{describe_pixels(path.pixels)}{how}"


def describe_pixels(pixels: Pixels | None) -> str:
    """``pixels differ from PIL's by 0.5 on average and 11 at most``."""
    if pixels is None:
        return "the pixel difference is unknown"
    if not pixels.largest:
        return "the pixels are identical"
    return (
        f"pixels differ from PIL's by {pixels.mean:.1f} of 255 on average"
        f" and {pixels.largest} at most"
    )


def _build_rows(result: BenchDecode) -> Iterator[tuple[str, ...]]:
    for task, title in (("decode", "decode:"), ("resize", "decode, resize to 224:")):
        paths = [path for path in result.paths if path.task == task]
        if any(path.rate for path in paths):
            yield (title, "", "", "", "", "")
        yield from map(_format_row, paths)


def _format_row(path: DecodePath) -> tuple[str, ...]:
    name = path.name + (f", {path.processes} processes" * (path.processes > 1))
    if path.allocator:
        name += ", memory reused"
    if path.rate is None:
        name += f" ({path.task})"
        return (name, path.unknown or "no time left", "", "", "", "")
    same = path.name == REFERENCE_PATH and not path.allocator
    return (
        name,
        format_interval(path.rate),
        "" if same else format_ratio(path.ratio),
        format_number((path.cpu_seconds or 0.0) * 1000),
        f"{path.faults or 0.0:,.0f}",
        _format_pixels(path),
    )


def _format_pixels(path: DecodePath) -> str:
    if path.pixels is None:
        return ""
    return f"{path.pixels.mean:.1f}, {path.pixels.largest}"


def _build_notes(result: BenchDecode) -> Iterator[str]:
    yield (
        "The files were read from memory. vs PIL: CPU time of PIL divided by that of this decoder,"
        " per window. Faults: page faults per image. Pixels: mean and largest"
        " difference from PIL, of 255."
    )
    jagged = [path.name for path in result.paths if path.antialiased is False]
    if jagged:
        yield f"Does not antialias: {', '.join(dict.fromkeys(jagged))}."
    allocator_paths = [path for path in result.paths if path.allocator]
    for setting in dict.fromkeys(path.allocator for path in allocator_paths):
        names = dict.fromkeys(path.library for path in allocator_paths if path.allocator == setting)
        yield f"Memory reused, {', '.join(names)}: {setting}."
    for library, reason in result.broken.items():
        how = "was not measured" if reason == NO_TIME_LEFT else "cannot be used"
        yield f"{library} {how}: {reason.rstrip('.')}."
    for image in result.images.unreadable:
        yield f"{image.path} was skipped: {image.reason}."
    yield from build_closing_notes(
        result.host, result.quality, result.seconds, interrupted=result.interrupted
    )
