"""What settings hold, as docs/benchmarks/tune.md tells it."""

import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from _page import table

Row = dict[str, Any]
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


def sizes(rows: dict[str, Row]) -> Iterator[str]:
    """What settings hold, by the model and by the kernel's books."""
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
    yield table(HELD, (_holding(*pair) for pair in pairs))
    for what, least in (
        ("shm_bytes", MIB),
        ("memory_bytes", MIB),
        ("first_batch_seconds", 0),
    ):
        off = sorted(
            abs(guess[what] / one[what] - 1)
            for _, one, guess in pairs
            if one[what] > least
        )
        yield (
            f"Of {what.rpartition('_')[0]} the error is"
            f" {statistics.median(off):.1%} in the median, p90 {tenth(off):.1%}, at"
            f" most {off[-1]:.1%}, and {sum(e <= 0.1 for e in off)} of {len(off)}"  # noqa: PLR2004
            f" are within 10 %; {_inside(what, pairs)} lie in the interval."
        )
    files = [abs(guess["descriptors"] - one["descriptors"]) for _, one, guess in pairs]
    yield (
        f"Descriptors are within 8 in {sum(n <= 8 for n in files)} of {len(files)}"  # noqa: PLR2004
        f" settings, at most {max(files)} off; {_inside('descriptors', pairs)} lie in"
        " the interval."
    )


def _inside(what: str, pairs: Sequence[tuple[str, Row, Row]]) -> str:
    """How many lie where they were to be expected: ``38 of 40``."""
    found = [
        guess["between"][what][0] <= one[what] <= guess["between"][what][1]
        for _, one, guess in pairs
    ]
    return f"{sum(found)} of {len(found)}"


def _holding(name: str, one: Row, guess: Row) -> str:
    cells = (
        name,
        said(one),
        *(
            f"{guess[what] / MIB:.1f} for {one[what] / MIB:.1f} MiB"
            for what in ("shm_bytes", "memory_bytes")
        ),
        f"{guess['descriptors']} for {one['descriptors']}",
        f"{guess['most_descriptors']} for {one['most_descriptors']}",
        f"{guess['first_batch_seconds']:.2f} for {one['first_batch_seconds']:.2f} s",
    )
    return f"| {' | '.join(cells)} |"


def said(cell: Row) -> str:
    """``4x2``: workers and prefetch_factor."""
    if not cell["num_workers"]:
        return "0"
    marks = "" if cell["in_order"] else " unordered"
    marks += " persistent" if cell["persistent_workers"] else ""
    return f"{cell['num_workers']}x{cell['prefetch_factor']}{marks}"


def tenth(values: list[float]) -> float:
    """What nine of ten do not exceed."""
    at = 0.9 * (len(values) - 1)
    low = values[int(at)]
    return low + (at - int(at)) * (values[min(int(at) + 1, len(values) - 1)] - low)


BOOKS = """Predicted for what was measured, by the kernel's own books: the bytes in use
in /dev/shm and the private memory of the workers without what they have there, while
the queues are full and two batches are in hand; the descriptors of the main process,
the median of an ordinary loop and the most; seconds to the first batch. Batches that
come before their turn need descriptors as well: how many come early is chance, and
the limit is kept with the most."""
