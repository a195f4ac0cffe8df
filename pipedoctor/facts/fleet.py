"""Many machines at once: what each property is on every node of a group."""

from typing import Any, ClassVar, Literal

from pipedoctor.facts.base import Fact, Part

PropertyKind = Literal["category", "number", "rate"]
WorseDirection = Literal["more", "less", ""]
SeverityName = Literal["breaks", "risks", "slows", "note"]


class NodeProperty(Part, frozen=True, kw_only=True):
    """How one property of nodes is compared, and what it costs to stand out in it."""

    name: str
    """Dotted, as in the facts: ``shm.size``, ``packages.numpy``."""
    kind: PropertyKind = "category"
    worse: WorseDirection = ""
    """Of numbers and rates: the direction that hurts; empty: either."""
    severity: SeverityName = "note"
    """Of what hurts; of the other direction it is a note."""
    unit: Literal["", "bytes", "bytes/s", "seconds", "hertz"] = ""
    near: float = 0.05
    """Relative difference that is chance, firmware or age."""
    least: float = 0.0
    """Absolute difference below which nothing is said."""


class PropertyColumn(Part, frozen=True, kw_only=True):
    """One property over a group: each distinct value, and the nodes that have it."""

    about: NodeProperty
    values: tuple[Any, ...]
    """The commonest first. None: not there, or without limit."""
    holders: tuple[tuple[int, ...], ...]
    """By value: numbers of nodes of the group. Nodes that do not say are in none."""

    @property
    def node_count(self) -> int:
        """Nodes that report this property."""
        return sum(map(len, self.holders))


class NodeGroup(Part, frozen=True, kw_only=True):
    """Nodes with the same model of GPU, which are compared with each other."""

    name: str
    """``8 x NVIDIA H100 80GB HBM3``, ``no GPU``."""
    nodes: tuple[str, ...]
    columns: tuple[PropertyColumn, ...] = ()
    """Only properties in which any two nodes differ."""


class ReferenceNode(Part, frozen=True, kw_only=True):
    """A recorded healthy node; by property its value, for groups of its hardware."""

    node: str
    group: str
    values: dict[str, Any]


class Fleet(Fact, frozen=True, kw_only=True):
    """Every node that reported, by group, and who should have."""

    section: ClassVar[str] = "fleet"

    groups: tuple[NodeGroup, ...] = ()
    reference: ReferenceNode | None = None
    """With --golden: what nodes are judged by instead of their peers."""
    expected: int | None = None
    """How many nodes there should be; None: nobody said."""
    reported: int = 0
    missing: tuple[str, ...] | None = None
    """Names of --expect that no report has; None: no names were given."""
    unreadable: tuple[str, ...] = ()
    """Files that could not be read as reports."""
