"""Numbers of a group by the populations that have them, and what is far from all of these."""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TypeAlias

from pipedoctor.facts.fleet import NodeProperty
from pipedoctor_checks.fleet._outlier import MAD_SCALE, compute_distance, compute_median

Counts: TypeAlias = Mapping[float, int]
"""Numbers, and how many nodes have each."""
_MAX_STEP = 0.05
"""Relative difference of neighbors that belong together, at least."""


def find_stray_numbers(
    counts: Counts, about: NodeProperty, share: float, no_norm: float, deviations: float
) -> Sequence[float]:
    """
    Numbers that few nodes have and that are far from what the others have.

    Where no population is a majority, the median and its deviations say nothing: each
    population has its own, and fewer nodes may stand out before there is no norm.
    """
    total = sum(counts.values())
    populations = _find_populations(counts, max(_MAX_STEP, about.near), share * total)
    median = compute_median(counts.items())
    main = next((one for one in populations if median in one), counts)
    several = 2 * sum(main.values()) <= total
    limit = share if several else no_norm
    centers = [_find_center(one) for one in (populations if several else (counts,))]
    neighbors = _Neighbors(counts, max(about.near, 1e-9))
    stray = [
        value
        for value in counts
        if all(_is_far(value, median, spread * deviations, about) for median, spread in centers)
        and not 1 < neighbors.count(value) >= share * total
    ]
    found = sum(counts[value] for value in stray)
    return stray if found <= max(1, limit * total) else ()


def _find_populations(counts: Counts, step: float, least: float) -> Sequence[Counts]:
    """Numbers of which each is near the next, and that enough nodes have."""
    clusters: list[dict[float, int]] = []
    last = 0.0
    for value in sorted(counts):
        if clusters and compute_distance(value, last) <= step:
            clusters[-1][value] = counts[value]
        else:
            clusters.append({value: counts[value]})
        last = value
    sizes = [sum(one.values()) for one in clusters]
    return [one for one, size in zip(clusters, sizes, strict=True) if size > 1 and size >= least]


def _find_center(counts: Counts) -> tuple[float, float]:
    """The median of numbers, and their standard deviation by the MAD."""
    median = compute_median(counts.items())
    if median == math.inf:
        return median, 0.0
    spread = compute_median((abs(one - median), count) for one, count in counts.items())
    return median, MAD_SCALE * spread


def _is_far(value: float, median: float, deviation: float, about: NodeProperty) -> bool:
    """Is it far from this median, in deviations and in size?"""
    if compute_distance(value, median) <= about.near:
        return False
    if math.inf in (value, median):
        return True
    return abs(value - median) >= about.least and abs(value - median) > deviation


class _Neighbors:
    """How many nodes have about a number: in few steps, as there may be one for each node."""

    def __init__(self, counts: Counts, near: float) -> None:
        self._near = near
        self._values = sorted(counts)
        self._sums = [0, *accumulate(counts[value] for value in self._values)]

    def count(self, value: float) -> int:
        """Nodes whose number is as near as this."""
        first = bisect_left(
            self._values, True, key=lambda one: one >= value or self._is_near(one, value)
        )
        end = bisect_left(
            self._values, True, key=lambda one: one > value and not self._is_near(one, value)
        )
        return self._sums[end] - self._sums[first]

    def _is_near(self, one: float, value: float) -> bool:
        return compute_distance(one, value) <= self._near
