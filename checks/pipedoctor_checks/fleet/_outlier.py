"""What the checks over fleets share: who is compared, and the finding of one node."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

from pipedoctor.check import Finding, Severity
from pipedoctor.facts.fleet import Fleet, NodeGroup, PropertyColumn
from pipedoctor.units import format_count, format_seconds, format_size

MIN_NODES = 5
"""Nodes of which most can be said to be of one kind."""
MAD_SCALE = 1.4826
"""Times the MAD of a normal distribution is its standard deviation."""
_HERTZ_PER_GHZ = 1e9


def list_compared_columns(
    fleet: Fleet, kind: str, fewest: int
) -> Iterator[tuple[NodeGroup, PropertyColumn]]:
    """Groups that are large enough, with each of their properties of this kind."""
    for group in fleet.groups:
        if len(group.nodes) < fewest or is_judged_by_reference(fleet, group):
            continue
        for column in group.columns:
            if column.about.kind == kind and column.node_count >= fewest:
                yield group, column


def is_judged_by_reference(fleet: Fleet, group: NodeGroup) -> bool:
    """Is this group judged by a recorded node instead of its peers?"""
    return fleet.reference is not None and fleet.reference.group == group.name


def build_outlier(
    group: NodeGroup, column: PropertyColumn, node: int, value: Any, usual: tuple[Any, int]
) -> Finding:
    """One node that stands out; `usual` is what others have, and how many of them."""
    about, (majority, count) = column.about, usual
    share = count / column.node_count if column.node_count else 0.0
    name = group.nodes[node]
    usually = f"{_format_value(majority, about.unit)} on {share:.1%} of nodes with {group.name}"
    return Finding(
        severity=choose_severity(column, value, majority),
        summary=f"{name}: {about.name} is {_format_value(value, about.unit)} ({usually})",
        evidence={
            "node": name,
            "group": group.name,
            "property": about.name,
            "value": value,
            "majority": majority,
            "share": round(share, 4),
        },
    )


def choose_severity(column: PropertyColumn, value: Any, majority: Any) -> Severity:
    """What it costs: a note where a number differs in the direction that is better."""
    about = column.about
    if about.kind != "category" and about.worse:
        less = to_number(value) < to_number(majority)
        if less != (about.worse == "less"):
            return Severity.NOTE
    return Severity[about.severity.upper()]


def to_number(value: Any) -> float:
    """A number, where nothing means no limit."""
    return math.inf if value is None else float(value)


def compute_distance(one: float, other: float) -> float:
    """How far apart two numbers are, as a share of the larger; without limit: 1."""
    if one == other:
        return 0.0
    if math.inf in (one, other):
        return 1.0
    return abs(one - other) / max(abs(one), abs(other))


def compute_median(counts: Iterable[tuple[float, int]]) -> float:
    """The lower median of numbers that occur so many times."""
    ordered = sorted(counts)
    half = sum(count for _, count in ordered) / 2
    seen = 0
    for value, count in ordered:
        seen += count
        if seen >= half:
            return value
    return math.nan


def _format_value(value: Any, unit: str) -> str:
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)) and unit:
        return _format_measurement(value, unit)
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _format_measurement(value: float, unit: str) -> str:
    if unit in {"bytes", "bytes/s"}:
        return f"{format_size(int(value))}{unit.removeprefix('bytes')}"
    return format_seconds(value) if unit == "seconds" else f"{value / _HERTZ_PER_GHZ:.2f} GHz"


def format_nodes(count: int) -> str:
    """``1 node``, ``3 nodes``."""
    return format_count(count, "node")
