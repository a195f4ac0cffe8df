"""Medians with intervals that assume nothing about how the values spread."""

import math
import statistics
from collections.abc import Sequence

from pipedoctor.facts.bench import Spread

MISS_PROBABILITY = 0.05
"""Share of repetitions in which the interval may miss the median."""


def compute_spread(values: Sequence[float]) -> Spread | None:
    """
    The median, and between which of the ordered values it lies; None of none.

    The ranks follow from the binomial distribution: from six values on, smallest to
    largest holds the median in 97 of 100 cases; with fewer there is nothing wider.
    """
    if not values:
        return None
    ordered = sorted(values)
    rank = _choose_rank(len(ordered))
    return Spread(
        value=statistics.median(ordered),
        low=ordered[rank],
        high=ordered[-1 - rank],
        windows=len(ordered),
    )


def _choose_rank(count: int) -> int:
    """How many values can be cut off on either side."""
    outside, rank = 0.0, -1
    for below in range(count // 2):
        outside += 2 * math.comb(count, below) / 2**count
        if outside > MISS_PROBABILITY:
            break
        rank = below
    return max(0, rank)
