"""What is known of a fleet, as contract `pipedoctor.fleet/1` writes it."""

from typing import Any, Literal

import msgspec

from pipedoctor.check import Severity
from pipedoctor.facts.fleet import SeverityName
from pipedoctor.version import __version__

Schema = Literal["pipedoctor.fleet/1"]


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """What wrote it."""

    name: str = "pipedoctor"
    version: str = __version__


class JudgedGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes that are compared with each other; `why` they are not, if not."""

    group: str
    nodes: int
    judged: bool
    why: str = ""


class FleetNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node with its newest report."""

    node: str
    group: str
    file: str
    created: str


class Outlier(msgspec.Struct, frozen=True, kw_only=True):
    """One property in which one node stands out among its peers."""

    node: str
    group: str
    property: str
    value: Any
    majority: Any
    share: float
    """Of the group: how many have about what the majority has."""
    severity: SeverityName
    finding: str | None = None
    """The finding in the node's own report that says the same."""
    summary: str


class FleetFinding(msgspec.Struct, frozen=True, kw_only=True):
    """What checks found, by the number of nodes; the rarest say most."""

    code: str
    name: str
    severity: SeverityName
    title: str
    count: int
    nodes: tuple[str, ...]
    summary: str = ""


class SupersededReport(msgspec.Struct, frozen=True, kw_only=True):
    """An older report of a node."""

    file: str
    node: str
    by: str


class UnreadableReport(msgspec.Struct, frozen=True, kw_only=True):
    """A file that is no report, and why."""

    file: str
    reason: str


class FailedCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A check over fleets that crashed or took too long: what it judges is not known."""

    code: str
    name: str
    reason: str


class RepeatedOutlier(msgspec.Struct, frozen=True, kw_only=True):
    """A node that stood out in the same property in several runs of the history."""

    node: str
    property: str
    runs: int
    of: int
    first: str
    last: str


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """
    How many findings, and outliers that no finding names, are of each severity.

    `fit` of `nodes` have nothing that breaks a job and stand out in nothing above a
    note; nodes in groups that are not judged count by their findings alone.
    """

    breaks: int = 0
    risks: int = 0
    slows: int = 0
    note: int = 0
    nodes: int = 0
    fit: int = 0
    missing: int = 0
    unreadable: int = 0
    not_judged: int = 0
    """Nodes in groups that are too small to compare."""


class FleetReport(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that `fleet show` has to say."""

    schema: Schema = "pipedoctor.fleet/1"
    tool: Tool = Tool()
    created: str
    seconds: float
    groups: tuple[JudgedGroup, ...] = ()
    nodes: tuple[FleetNode, ...] = ()
    outliers: tuple[Outlier, ...] = ()
    findings: tuple[FleetFinding, ...] = ()
    missing: tuple[str, ...] = ()
    superseded: tuple[SupersededReport, ...] = ()
    unreadable: tuple[UnreadableReport, ...] = ()
    skipped: tuple[FailedCheck, ...] = ()
    repeated: tuple[RepeatedOutlier, ...] = ()
    """With --since: nodes that stood out more than once, the most often first."""
    summary: Summary

    def get_worst_severity(self) -> Severity | None:
        """The gravest severity in it."""
        grades = {one.severity for one in self.outliers}
        grades |= {one.severity for one in self.findings}
        return max((Severity[grade.upper()] for grade in grades), default=None)
