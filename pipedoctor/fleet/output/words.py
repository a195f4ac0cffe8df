"""The sentences about a fleet that every format for people shares."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from pipedoctor.fleet.hostlist import compress_hostlist
from pipedoctor.fleet.model import FleetFinding, FleetReport, Outlier
from pipedoctor.fleet.summary import list_nodes_to_drain, list_standing_outliers
from pipedoctor.report.sentences import clean_text
from pipedoctor.units import format_count

MAX_LISTED = 20
"""Nodes that are all named, each in full."""


class Reason(msgspec.Struct, frozen=True):
    """One reason to drain nodes, and which."""

    severity: str
    what: str
    example: str
    nodes: tuple[str, ...]


def describe_verdict(report: FleetReport) -> str:
    """``497 of 500 nodes are fit for the job``."""
    total = report.summary
    if not total.nodes:
        return "No report could be read"
    verb = "is" if total.nodes == 1 else "are"
    return f"{total.fit:,} of {format_node_count(total.nodes)} {verb} fit for the job"


def describe_uncounted(report: FleetReport) -> str:
    """What the figure does not count; empty: it counts all."""
    total = report.summary
    parts: list[str] = []
    if total.missing:
        parts.append(f"{format_node_count(total.missing)} did not report")
    if total.unreadable:
        parts.append(f"{format_count(total.unreadable, 'file')} could not be read")
    if total.not_judged:
        where = "in groups too small to compare: only their own findings count"
        parts.append(f"{format_node_count(total.not_judged)} {where}")
    parts += [f"{one.code} {one.name}: {clean_text(one.reason)}" for one in report.skipped]
    return "; ".join(parts)


def format_node_count(count: int) -> str:
    """``1 node``, ``10,000 nodes``."""
    return f"{count:,} node{'' if count == 1 else 's'}"


def join_nodes(nodes: Sequence[str]) -> str:
    """Up to twenty nodes each in full; more in short, as a list of hosts."""
    return clean_text(", ".join(nodes) if len(nodes) <= MAX_LISTED else compress_hostlist(nodes))


def list_reasons(report: FleetReport) -> list[Reason]:
    """Why nodes are to be drained: by property or finding, the gravest first."""
    drained = list_nodes_to_drain(report)
    rows = [
        _build_reason(found) for found in _group_outliers(list_standing_outliers(report)).values()
    ]
    explained = {(one.node, one.finding) for one in list_standing_outliers(report)}
    for finding in report.findings:
        nodes = tuple(n for n in finding.nodes if (n, finding.name) not in explained)
        if finding.severity == "breaks" and nodes and all(n in drained for n in nodes):
            rows.append(Reason("breaks", finding.name, finding.title, nodes))
    order = ("breaks", "risks", "slows")
    return sorted(rows, key=lambda row: (order.index(row.severity), row.what))


def _group_outliers(
    outliers: Sequence[Outlier],
) -> Mapping[tuple[str, str], list[Outlier]]:
    found: dict[tuple[str, str], list[Outlier]] = defaultdict(list)
    for one in outliers:
        found[one.property, one.severity].append(one)
    return found


def _build_reason(outliers: Sequence[Outlier]) -> Reason:
    first = outliers[0]
    example = first.summary.removeprefix(f"{first.node}: ").removeprefix(f"{first.property} is ")
    return Reason(first.severity, first.property, example, tuple(one.node for one in outliers))


def describe_finding(finding: FleetFinding) -> str:
    """``shm-too-small on 3 nodes``, or the sentence of a finding about the fleet."""
    return clean_text(finding.summary or f"{finding.title}: {format_node_count(finding.count)}")
