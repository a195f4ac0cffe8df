"""Two states of a fleet: what an upgrade, or a night, did to its nodes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from pipedoctor.fleet.ingest import IngestedReports, NodeReport
from pipedoctor.fleet.model import FleetReport, Outlier, Tool
from pipedoctor.fleet.properties import get_property

_MIN_RATIO = 1.5
"""Times by which a rate has to change before anything is said."""


class PropertyChange(msgspec.Struct, frozen=True, kw_only=True):
    """The same change on so many nodes; `nodes` are all of them."""

    property: str
    before: Any
    after: Any
    count: int
    nodes: tuple[str, ...]


class RateChange(msgspec.Struct, frozen=True, kw_only=True):
    """A rate whose median is another one now, over the nodes of both."""

    property: str
    before: float
    after: float
    nodes: int


class FleetChange(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between two states of a fleet, the commonest change first."""

    schema: str = "pipedoctor.fleet-diff/1"
    tool: Tool = Tool()
    nodes: int
    """That are in both."""
    fit_before: int
    fit_after: int
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    changes: tuple[PropertyChange, ...] = ()
    rates: tuple[RateChange, ...] = ()
    outliers_new: tuple[Outlier, ...] = ()
    outliers_gone: tuple[Outlier, ...] = ()

    @property
    def has_differences(self) -> bool:
        """Does anything differ?"""
        parts = (self.gone, self.new, self.changes, self.rates)
        return any(parts) or bool(self.outliers_new or self.outliers_gone)


def compare_fleets(
    before: tuple[IngestedReports, FleetReport], after: tuple[IngestedReports, FleetReport]
) -> FleetChange:
    """Compare each node with itself, then the fleets."""
    old = {one.node: one for one in before[0].nodes}
    new = {one.node: one for one in after[0].nodes}
    both = sorted(old.keys() & new.keys())
    pairs = [(old[name], new[name]) for name in both]
    was = {(one.node, one.property) for one in before[1].outliers}
    now = {(one.node, one.property) for one in after[1].outliers}
    return FleetChange(
        nodes=len(both),
        fit_before=before[1].summary.fit,
        fit_after=after[1].summary.fit,
        gone=tuple(sorted(old.keys() - new.keys())),
        new=tuple(sorted(new.keys() - old.keys())),
        changes=tuple(_list_changes(pairs)),
        rates=tuple(_list_rate_changes(pairs)),
        outliers_new=tuple(one for one in after[1].outliers if (one.node, one.property) not in was),
        outliers_gone=tuple(
            one for one in before[1].outliers if (one.node, one.property) not in now
        ),
    )


def _list_changes(pairs: Sequence[tuple[NodeReport, NodeReport]]) -> Iterator[PropertyChange]:
    found: dict[tuple[str, Any, Any], list[str]] = {}
    for one, other in pairs:
        mine, theirs = _collect_values(one), _collect_values(other)
        for name in mine.keys() | theirs.keys():
            before, after = mine.get(name), theirs.get(name)
            if before != after and _is_relevant(name, before, after):
                found.setdefault((name, before, after), []).append(one.node)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), str(item[0])))
    for (name, before, after), nodes in ordered:
        yield PropertyChange(
            property=name,
            before=before,
            after=after,
            count=len(nodes),
            nodes=tuple(nodes),
        )


def _collect_values(node: NodeReport) -> Mapping[str, Any]:
    return {name: value for row in node.report.rows.values() for name, value in row}


def _is_relevant(name: str, before: Any, after: Any) -> bool:
    """Is it more than firmware, age and load explain? Rates are another matter."""
    about = get_property(name)
    if about.kind == "rate":
        return False
    if about.kind == "category" or before is None or after is None:
        return True
    far = abs(before - after)
    return bool(far > about.near * max(abs(before), abs(after)) and far >= about.least)


def _list_rate_changes(pairs: Sequence[tuple[NodeReport, NodeReport]]) -> Iterator[RateChange]:
    before: dict[str, list[float]] = {}
    after: dict[str, list[float]] = {}
    for one, other in pairs:
        mine, theirs = _collect_values(one), _collect_values(other)
        for name in mine.keys() & theirs.keys():
            if get_property(name).kind == "rate":
                before.setdefault(name, []).append(mine[name])
                after.setdefault(name, []).append(theirs[name])
    for name, values in sorted(before.items()):
        was, now = _compute_median(values), _compute_median(after[name])
        if max(was, now) > _MIN_RATIO * min(was, now):
            yield RateChange(property=name, before=was, after=now, nodes=len(values))


def _compute_median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[(len(ordered) - 1) // 2]
