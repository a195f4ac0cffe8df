"""Fleets as facts: one group and one property, by its values and how many have each."""

from typing import Any

from pipedoctor.facts.fleet import Fleet, NodeGroup, NodeProperty, PropertyColumn, ReferenceNode

GROUP = "8 x NVIDIA H100"


def column(about: NodeProperty, *counted: tuple[Any, int]) -> PropertyColumn:
    """Values with the number of nodes that have each, numbered in their order."""
    holders: list[tuple[int, ...]] = []
    first = 0
    for _, count in counted:
        holders.append(tuple(range(first, first + count)))
        first += count
    pairs = sorted(
        zip([value for value, _ in counted], holders, strict=True),
        key=lambda pair: -len(pair[1]),
    )
    return PropertyColumn(
        about=about,
        values=tuple(value for value, _ in pairs),
        holders=tuple(nodes for _, nodes in pairs),
    )


def fleet(
    *columns: PropertyColumn, nodes: int | None = None, reference: ReferenceNode | None = None
) -> Fleet:
    """One group of so many nodes, n0, n1 and so on."""
    count = nodes or max(column.node_count for column in columns)
    names = tuple(f"n{number}" for number in range(count))
    group = NodeGroup(name=GROUP, nodes=names, columns=columns)
    return Fleet(groups=(group,), reference=reference, reported=count)
