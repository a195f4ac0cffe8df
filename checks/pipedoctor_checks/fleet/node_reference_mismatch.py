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

    If most nodes of a fleet have the same fault, the majority is not a valid reference:
    with a wrong limit in the image, the healthy nodes would be the outliers. A node that
    is known to be healthy is a reference for any number of others.

    ## How it is judged

    Groups with the hardware of the recorded node are judged, regardless of their size.
    Versions, settings and states must be equal. Numbers may differ by as much as
    firmware and age explain, which depends on the property, and rates by less than
    `times`. Facts that the recorded node lacks are not judged. Other groups are compared
    with their peers as usual.

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
