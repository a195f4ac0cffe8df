"""PDR783: which nodes differ from the healthy node that was recorded?"""

import math
from typing import Any

from pipedoctor.check import CannotJudge, Findings, check
from pipedoctor.facts.fleet import Fleet, PropertyColumn
from pipedoctor_checks.fleet._outlier import (
    build_outlier,
    compute_distance,
    is_judged_by_reference,
    to_number,
)


@check("PDR783", "A node differs from the recorded healthy node")
def node_reference_mismatch(fleet: Fleet, /, *, times: float = 5.0) -> Findings:
    """
    Compare each node with the one that --golden names, instead of with its peers.

    ## Why it hurts

    Where most nodes of a fleet have the same fault, their majority is no measure: an
    image with a wrong limit makes the healthy ones stand out. A node that is known to
    be good is a measure for any number of others.

    ## How it is judged

    Groups with the hardware of the recorded node are judged, however small they are.
    Versions, settings and states have to be the same. Numbers may differ by as much
    as firmware and age explain, each property by its own, and rates by less than
    `times`. What the recorded node does not say is not judged. Other groups are
    compared with their peers as always.

    ## Sources

    - https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/dcgm-diagnostics.html
    - https://github.com/GoogleCloudPlatform/cluster-health-scanner
    """
    wanted = fleet.reference
    if wanted is None:
        reason = "no --golden given"
        raise CannotJudge(reason)
    for group in fleet.groups:
        if not is_judged_by_reference(fleet, group):
            continue
        for column in group.columns:
            if column.about.name not in wanted.values:
                continue
            usual = wanted.values[column.about.name]
            same = [_is_close(column, value, usual, times) for value in column.values]
            count = sum(
                len(holders) for fits, holders in zip(same, column.holders, strict=True) if fits
            )
            for fits, value, holders in zip(same, column.values, column.holders, strict=True):
                for node in () if fits else holders:
                    yield build_outlier(group, column, node, value, (usual, count))


def _is_close(column: PropertyColumn, value: Any, usual: Any, times: float) -> bool:
    about = column.about
    if about.kind == "category":
        return bool(value == usual)
    one, other = to_number(value), to_number(usual)
    if about.kind == "number":
        small = math.inf not in (one, other) and abs(one - other) < about.least
        return small or compute_distance(one, other) <= about.near
    slower = one / other if about.worse == "more" else other / max(one, 1e-9)
    return slower < times
