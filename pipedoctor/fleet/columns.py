"""From the rows of nodes to columns of a group: which values, on which nodes."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from pipedoctor.facts.fleet import NodeGroup, PropertyColumn, ReferenceNode
from pipedoctor.fleet.decoding import Row
from pipedoctor.fleet.ingest import NodeReport
from pipedoctor.fleet.properties import get_property

COMPLETE_SECTIONS = frozenset(("packages", "conda", "threads", "variables", "image_stack"))
"""Sections that list all there is: what is not in them is not there."""
RARE_LIMITS = frozenset(("limits.pids_max",))
"""Limits that are absent where there is none, and where nobody could read them: the first
holds where most nodes have none."""
_Holders: TypeAlias = dict[Any, list[int]]


def build_group(
    name: str, members: Sequence[NodeReport], reference: ReferenceNode | None
) -> NodeGroup:
    """One group; properties in which all its nodes agree are left out."""
    sections: dict[str, dict[Row, list[int]]] = defaultdict(dict)
    for number, node in enumerate(members):
        for section, row in node.report.rows.items():
            sections[section].setdefault(row, []).append(number)
    wanted = reference.values if reference and reference.group == name else None
    columns = [
        column
        for section in sorted(sections)
        for column in _build_columns(section, sections[section], wanted)
    ]
    return NodeGroup(name=name, nodes=tuple(one.node for one in members), columns=tuple(columns))


def _build_columns(
    section: str, rows: Mapping[Row, list[int]], fields: Mapping[str, Any] | None
) -> Iterator[PropertyColumn]:
    """Only rows that differ are looked into: most nodes share one."""
    if len(rows) == 1 and fields is None:
        return
    found: dict[str, _Holders] = defaultdict(dict)
    for row, holders in rows.items():
        for name, value in row:
            found[name].setdefault((type(value) is bool, value), []).extend(holders)
    if section in COMPLETE_SECTIONS:
        _add_absent_values(found, rows)
    _add_absent_values({n: h for n, h in found.items() if n in RARE_LIMITS}, rows, most=True)
    for name in sorted(found):
        known = found[name]
        if len(known) > 1 or (fields is not None and name in fields):
            yield _build_column(name, known)


def _add_absent_values(
    holders_by_field: Mapping[str, _Holders], rows: Mapping[Row, list[int]], *, most: bool = False
) -> None:
    """Nodes without it have nothing there; with `most`, only where these are the most."""
    every = [node for nodes in rows.values() for node in nodes]
    for holders in holders_by_field.values():
        with_it = {node for nodes in holders.values() for node in nodes}
        if len(with_it) < (len(every) / 2 if most else len(every)):
            holders[False, None] = [node for node in every if node not in with_it]


def _build_column(name: str, holders: _Holders) -> PropertyColumn:
    ordered = sorted(holders.items(), key=lambda one: (-len(one[1]), str(one[0])))
    return PropertyColumn(
        about=get_property(name),
        values=tuple(key[1] for key, _ in ordered),
        holders=tuple(tuple(sorted(nodes)) for _, nodes in ordered),
    )
