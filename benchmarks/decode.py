"""
Which decoder, in which environment: `bench decode` on images made for it.

Measures the interpreters that DECODERS names (separated as in PATH), each at two sizes,
one after the other; without it, the one that runs this. BUDGET: seconds for each.
Writes docs/benchmarks/decode.md.
"""

import os
import subprocess
import sys

import _page

from pipedoctor.bench import document
from pipedoctor.bench.decode_text import describe_pixels
from pipedoctor.facts import BenchDecode, Spread
from pipedoctor.facts.bench_decode import DecodePath

PYTHONS = os.environ.get("DECODERS", sys.executable).split(os.pathsep)
BUDGET = os.environ.get("BUDGET", "40")
SIZES = ("500x375", "1920x1080")
HEAD = (
    *("task", "way", "processes", "images/s", "CPU, times PIL's"),
    *("faults", "pixels"),
)


def run_bench_decode(python: str, size: str) -> BenchDecode:
    """Run the command; ends with its reason where it could not measure."""
    line = ("bench", "decode", "--python", python, "--size", size)
    more = ("--budget", BUDGET, "--format", "json")
    done = subprocess.run(
        [sys.executable, "-m", "pipedoctor", *line, *more],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stderr.decode().strip())
    (found,) = document.read_measurements(done.stdout)
    assert isinstance(found, BenchDecode)
    return found


def format_path(path: DecodePath) -> str:
    """One way; its ratio is empty for PIL itself."""
    name = f"{path.name}, memory kept" if path.allocator else path.name
    rate = f"{path.rate.value:.0f}" if path.rate else ""
    pixels = "" if path.pixels is None else describe_pixels(path.pixels)
    cells = (path.task, name, str(path.processes), rate, format_ratio(path.ratio))
    return f"| {' | '.join(cells)} | {path.faults or 0:.0f} | {pixels} |"


def format_ratio(ratio: Spread | None) -> str:
    """A ratio with its interval."""
    if ratio is None:
        return ""
    if ratio.windows == 1:
        return f"{ratio.value:.2f} (one window)"
    return f"{ratio.value:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"


def format_environment(bench: BenchDecode) -> str:
    """One environment at one size."""
    names = (
        f"{name}{'-simd' if '.post' in version else ''} {version}"
        for name, version in bench.versions.items()
    )
    title = f"{bench.images.width} x {bench.images.height}, {', '.join(names)}"
    rows = [format_path(path) for path in bench.paths if path.rate]
    kept = {p.library: p.allocator for p in bench.paths if p.rate and p.allocator}
    notes = "".join(f"\n\n*Memory kept*, {library}: `{said}`." for library, said in kept.items())
    if bench.quality.marked:
        notes += f"\n\nDoubtful, the machine was not quiet: {bench.quality.marked}."
    return f"## {title}\n\n{_page.format_table(HEAD, rows)}{notes}"


def main() -> None:
    """Measure, and write the page."""
    found = [run_bench_decode(python, size) for python in PYTHONS for size in SIZES]
    _page.write_page(
        "decode.md",
        "Which decoder",
        _page.describe_run(found[0].host.model, by="benchmarks/decode.py")
        + " Images are made for it and lie in memory; every library has one thread;"
        " the windows of all ways take turns. *Faults*: page faults for an image."
        " *Pixels*: how far they are from PIL's, in steps of 255.",
        *map(format_environment, found),
    )


if __name__ == "__main__":
    main()
