"""What settings hold, as docs/benchmarks/tune.md tells it."""

import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from _page import format_table

WorkloadRow = dict[str, Any]
HELD = (
    "workload",
    "setting",
    "/dev/shm",
    "memory of the workers",
    "descriptors",
    "most of them",
    "first batch",
)
MIB = 1 << 20


def format_resources(rows: dict[str, WorkloadRow]) -> Iterator[str]:
    """Compare the predicted resources of settings with the measured ones."""
    found = {name: row["held"] for name, row in rows.items() if "held" in row}
    pairs = [
        (name, one, guess)
        for name, row in found.items()
        for one, guess in zip(row["really"], row["promised"], strict=True)
    ]
    if not pairs:
        return
    yield "## What it holds"
    yield BOOKS
    yield format_table(HELD, (_format_resource_row(*pair) for pair in pairs))
    for what, least in (
        ("shm_bytes", MIB),
        ("memory_bytes", MIB),
        ("first_batch_seconds", 0),
    ):
        off = sorted(
            abs(guess[what] / one[what] - 1) for _, one, guess in pairs if one[what] > least
        )
        yield (
            f"Of {what.rpartition('_')[0]} the error is"
            f" {statistics.median(off):.1%} in the median, p90 {percentile_90(off):.1%}, at"
            f" most {off[-1]:.1%}, and {sum(e <= 0.1 for e in off)} of {len(off)}"  # noqa: PLR2004
            f" are within 10 %; {_count_in_interval(what, pairs)} lie in the interval."
        )
    files = [abs(guess["descriptors"] - one["descriptors"]) for _, one, guess in pairs]
    yield (
        f"Descriptors are within 8 in {sum(n <= 8 for n in files)} of {len(files)}"  # noqa: PLR2004
        f" settings, at most {max(files)} off; {_count_in_interval('descriptors', pairs)} lie in"
        " the interval."
    )


def _count_in_interval(resource: str, pairs: Sequence[tuple[str, WorkloadRow, WorkloadRow]]) -> str:
    """Count settings measured within the predicted interval: ``38 of 40``."""
    found = [
        guess["between"][resource][0] <= one[resource] <= guess["between"][resource][1]
        for _, one, guess in pairs
    ]
    return f"{sum(found)} of {len(found)}"


def _format_resource_row(name: str, one: WorkloadRow, guess: WorkloadRow) -> str:
    cells = (
        name,
        format_setting(one),
        *(
            f"{guess[what] / MIB:.1f} for {one[what] / MIB:.1f} MiB"
            for what in ("shm_bytes", "memory_bytes")
        ),
        f"{guess['descriptors']} for {one['descriptors']}",
        f"{guess['most_descriptors']} for {one['most_descriptors']}",
        f"{guess['first_batch_seconds']:.2f} for {one['first_batch_seconds']:.2f} s",
    )
    return f"| {' | '.join(cells)} |"


def format_setting(cell: WorkloadRow) -> str:
    """Format a setting as ``4x2``: workers and prefetch_factor."""
    if not cell["num_workers"]:
        return "0"
    marks = "" if cell["in_order"] else " unordered"
    marks += " persistent" if cell["persistent_workers"] else ""
    return f"{cell['num_workers']}x{cell['prefetch_factor']}{marks}"


def percentile_90(values: list[float]) -> float:
    """Return the 90th percentile of sorted values."""
    at = 0.9 * (len(values) - 1)
    low = values[int(at)]
    return low + (at - int(at)) * (values[min(int(at) + 1, len(values) - 1)] - low)


BOOKS = """Predicted for what was measured, by the kernel's own books: the bytes in use
in /dev/shm and the private memory of the workers without what they have there, while
the queues are full and two batches are in hand; the descriptors of the main process,
the median of an ordinary loop and the most; seconds to the first batch. Batches that
come before their turn need descriptors as well: how many come early is chance, and
the limit is kept with the most."""
