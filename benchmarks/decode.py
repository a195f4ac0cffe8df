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
from pipedoctor.bench.decode_words import apart
from pipedoctor.facts import BenchDecode, Spread
from pipedoctor.facts.bench_decode import DecodePath

PYTHONS = os.environ.get("DECODERS", sys.executable).split(os.pathsep)
BUDGET = os.environ.get("BUDGET", "40")
SIZES = ("500x375", "1920x1080")
HEAD = (
    *("task", "way", "processes", "images/s", "CPU, times PIL's"),
    *("faults", "pixels"),
)


def measured(python: str, size: str) -> BenchDecode:
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
    (found,) = document.read(done.stdout)
    assert isinstance(found, BenchDecode)
    return found


def row(path: DecodePath) -> str:
    """One way; its ratio is empty for PIL itself."""
    name = f"{path.name}, memory kept" if path.allocator else path.name
    rate = f"{path.rate.value:.0f}" if path.rate else ""
    pixels = "" if path.pixels is None else apart(path.pixels)
    cells = (path.task, name, str(path.processes), rate, times(path.ratio))
    return f"| {' | '.join(cells)} | {path.faults or 0:.0f} | {pixels} |"


def times(found: Spread | None) -> str:
    """A ratio with its interval."""
    if found is None:
        return ""
    if found.windows == 1:
        return f"{found.value:.2f} (one window)"
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"


def section(found: BenchDecode) -> str:
    """One environment at one size."""
    names = (
        f"{name}{'-simd' if '.post' in version else ''} {version}"
        for name, version in found.versions.items()
    )
    title = f"{found.images.width} x {found.images.height}, {', '.join(names)}"
    rows = [row(path) for path in found.paths if path.rate]
    kept = {p.library: p.allocator for p in found.paths if p.rate and p.allocator}
    notes = "".join(
        f"\n\n*Memory kept*, {library}: `{said}`." for library, said in kept.items()
    )
    if found.quality.marked:
        notes += f"\n\nDoubtful, the machine was not quiet: {found.quality.marked}."
    return f"## {title}\n\n{_page.table(HEAD, rows)}{notes}"


def main() -> None:
    """Measure, and write the page."""
    found = [measured(python, size) for python in PYTHONS for size in SIZES]
    _page.write(
        "decode.md",
        "Which decoder",
        _page.written(found[0].host.model, by="benchmarks/decode.py")
        + " Images are made for it and lie in memory; every library has one thread;"
        " the windows of all ways take turns. *Faults*: page faults for an image."
        " *Pixels*: how far they are from PIL's, in steps of 255.",
        *map(section, found),
    )


if __name__ == "__main__":
    main()
