"""PDR781: which nodes have less, or more, of something than their peers?"""

from pipedoctor.check import Findings, check
from pipedoctor.facts.fleet import Fleet, PropertyColumn
from pipedoctor_checks.fleet._outlier import (
    MIN_NODES,
    build_outlier,
    compute_distance,
    compute_median,
    list_compared_columns,
    to_number,
)
from pipedoctor_checks.fleet._populations import find_stray_numbers


@check("PDR781", "A node has less, or more, of something than its peers")
def node_number_outlier(
    fleet: Fleet,
    /,
    *,
    population: float = 0.05,
    no_norm: float = 0.2,
    deviations: float = 6.0,
    false_alarms: float = 0.01,
    fewest: int = MIN_NODES,
) -> Findings:
    """
    Compare sizes, limits and counts of each node with the median of its group.

    ## Why it hurts

    One node of 500 with 64 MB of /dev/shm, a CPU quota, seven GPUs instead of eight
    or a limit of 1024 descriptors makes the job fail, or makes all other nodes wait.

    ## How it is judged

    A node is an outlier if it is far from the median both in deviations (the scaled MAD
    of its group) and in size: each property has a relative difference that firmware, age
    or load can explain. The distance is at least `deviations`, and larger if so many
    nodes and properties are compared that chance alone would cause more than
    `false_alarms`. Two or more nodes with about the same number that are at least
    `population` of the group form a population; if more than `no_norm` would be
    outliers, there is no norm. If no population is a majority, as among several kinds of
    nodes without GPUs, an outlier is far from each of them. Unlimited is more than any
    number. More of something good is a note. Groups of fewer than `fewest` nodes are not
    judged.

    ## Sources

    - https://en.wikipedia.org/wiki/Median_absolute_deviation
    - https://github.com/NVIDIA/NVSentinel/issues/298
    """
    every = list(list_compared_columns(fleet, "number", fewest))
    trials = sum(column.node_count for _, column in every)
    for group, column in every:
        threshold = max(deviations, compute_quantile(false_alarms, trials))
        counts = _count_values(column)
        median = compute_median(counts.items())
        outliers = find_stray_numbers(counts, column.about, population, no_norm, threshold)
        usual = _find_usual(column, median)
        for value, holders in zip(column.values, column.holders, strict=True):
            if to_number(value) in outliers:
                for node in holders:
                    yield build_outlier(group, column, node, value, usual)


def compute_quantile(false_alarms: float, trials: int) -> float:
    """Standard deviations that chance passes so rarely in so many trials."""
    from statistics import NormalDist  # noqa: PLC0415  (of all checks this one alone needs it)

    chance = min(0.5, false_alarms / max(1, trials) / 2)
    return -NormalDist().inv_cdf(chance)


def _count_values(column: PropertyColumn) -> dict[float, int]:
    counts: dict[float, int] = {}
    for value, holders in zip(column.values, column.holders, strict=True):
        counts[to_number(value)] = counts.get(to_number(value), 0) + len(holders)
    return counts


def _find_usual(column: PropertyColumn, median: float) -> tuple[float | int | None, int]:
    """What most have, else the median; and how many are about there."""
    value = column.values[0]
    if 2 * len(column.holders[0]) <= column.node_count:
        value = next(one for one in column.values if to_number(one) == median)
    near = column.about.near
    similar = sum(
        len(holders)
        for one, holders in zip(column.values, column.holders, strict=True)
        if compute_distance(to_number(one), to_number(value)) <= near
    )
    return value, similar
