"""PDR782: which nodes are many times slower than all others of their kind?"""

import math
from collections.abc import Iterable
from itertools import pairwise

from pipedoctor.check import Findings, check
from pipedoctor.facts.fleet import Fleet, PropertyColumn
from pipedoctor_checks.fleet._outlier import (
    MAD_SCALE,
    MIN_NODES,
    build_outlier,
    compute_median,
    list_compared_columns,
)
from pipedoctor_checks.fleet.node_number_outlier import compute_quantile

_GAP = math.log(1.5)
"""Between the slowest of a group's own noise and what stands out."""
_MIN_RATE = 1e-9
"""Of what was measured as nothing, so that it has a logarithm."""


@check("PDR782", "A node is many times slower than its peers")
def node_rate_outlier(
    fleet: Fleet,
    /,
    *,
    times: float = 5.0,
    deviations: float = 4.0,
    false_alarms: float = 0.05,
    population: float = 0.05,
    fewest: int = MIN_NODES,
) -> Findings:
    """
    Compare the measured rates of disks, decoders and memory on a logarithmic scale.

    ## Why it hurts

    A dataset disk that is twenty times slower than those of all other nodes makes the
    whole job wait at every step, and no check of that node alone can detect it.

    ## How it is judged

    Rates are products of many things, so ratios count: twenty times slower is only
    95 % below the median, which is not far in a noisy group. A node is an outlier if it is
    at least `times` slower than the median of its group, by at least `deviations` of the
    logarithms, and by more than chance explains among so many nodes (`false_alarms`). A
    tail of nodes that are each a little slower is the noise of the group: outliers are
    beyond a gap. Faster nodes are never outliers. Two or more nodes that are at least
    `population` of the group form a population. Groups of fewer than `fewest` nodes are
    not judged.

    ## Sources

    - https://en.wikipedia.org/wiki/Median_absolute_deviation
    - https://en.wikipedia.org/wiki/Log-normal_distribution
    """
    every = list(list_compared_columns(fleet, "rate", fewest))
    trials = sum(column.node_count for _, column in every)
    for group, column in every:
        logs = _compute_logarithms(column)
        median = compute_median(logs)
        spread = compute_median((abs(log - median), count) for log, count in logs)
        far = max(deviations, compute_quantile(false_alarms, trials))
        least = max(math.log(times), far * MAD_SCALE * spread)
        edge = _find_edge((median - log for log, _ in logs), least)
        slow = [place for place, (log, _) in enumerate(logs) if median - log >= edge]
        found = sum(logs[place][1] for place in slow)
        if found > 1 and found >= population * column.node_count:
            continue
        near = sum(count for log, count in logs if abs(log - median) < math.log(times))
        usual = next(
            value for value, (log, _) in zip(column.values, logs, strict=True) if log == median
        )
        for place in slow:
            for node in column.holders[place]:
                value = column.values[place]
                yield build_outlier(group, column, node, value, (usual, near))


def _find_edge(distances: Iterable[float], least: float) -> float:
    """Where the tail of the group has ended: at `least` or beyond it, behind a gap."""
    ordered = sorted(distance for distance in distances if distance > 0)
    for nearer, farther in pairwise((0.0, *ordered)):
        if farther >= least / 2 and farther - nearer >= _GAP:
            return max(farther, least)
    return math.inf


def _compute_logarithms(column: PropertyColumn) -> list[tuple[float, int]]:
    """Of rates; of durations with the sign turned, so that less is always worse."""
    sign = -1.0 if column.about.worse == "more" else 1.0
    return [
        (sign * math.log(max(float(value or 0), _MIN_RATE)), len(holders))
        for value, holders in zip(column.values, column.holders, strict=True)
    ]
