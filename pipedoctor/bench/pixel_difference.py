"""How far apart two pictures are."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from pipedoctor.facts.bench_decode import Pixels

MAX_VALUES = 600_000
"""Values that are compared of one image; of larger ones every so many rows."""


def compare_pixels(
    pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]],
) -> Pixels | None:
    """
    The largest and the mean step between pictures of the same size.

    Each is an answer of the decode server to ``pixels``. None: nothing to compare.
    """
    largest, total, count = 0, 0, 0
    for one, other in pairs:
        if (one["width"], one["height"]) != (other["width"], other["height"]):
            continue  # one of them turned the picture upright, as its EXIF says
        mine, theirs = (base64.b64decode(side["pixels"]) for side in (one, other))
        steps = [abs(a - b) for a, b in zip(mine, theirs, strict=False)]
        largest = max(largest, *steps)
        total, count = total + sum(steps), count + len(steps)
    return Pixels(largest=largest, mean=total / count) if count else None
