"""The fleet in a few numbers, and the nodes that a job is better off without."""

from collections import Counter

from pipedoctor.fleet.expected import ExpectedNodes
from pipedoctor.fleet.model import FleetReport, Outlier, Summary


def build_summary(report: FleetReport, expected_nodes: ExpectedNodes | None = None) -> Summary:
    """Count what was found, and the nodes that are fit for a job."""
    named = {one.name for one in report.findings}
    grades = Counter(one.severity for one in report.findings)
    grades.update(one.severity for one in report.outliers if one.finding not in named)
    unfit = {one.node for one in list_standing_outliers(report)}
    for finding in report.findings:
        if finding.severity == "breaks":
            unfit.update(finding.nodes)
    missing = 0
    if expected_nodes is not None:
        missing = expected_nodes.count_missing([one.node for one in report.nodes])
    return Summary(
        breaks=grades["breaks"],
        risks=grades["risks"],
        slows=grades["slows"],
        note=grades["note"],
        nodes=len(report.nodes),
        fit=sum(one.node not in unfit for one in report.nodes),
        missing=missing,
        unreadable=len(report.unreadable),
        not_judged=sum(one.nodes for one in report.groups if not one.judged),
    )


def list_standing_outliers(report: FleetReport) -> list[Outlier]:
    """Outliers above a note: each lets a whole job wait, or stops it."""
    return [one for one in report.outliers if one.severity != "note"]


def list_nodes_to_drain(report: FleetReport) -> dict[str, list[str]]:
    """
    Nodes to take out of use, the gravest first, and why in words.

    Those that stand out in more than a note, and those of a finding that breaks jobs,
    unless most nodes have it: what all have is no reason to drain one.
    """
    reasons: dict[str, list[str]] = {}
    for one in list_standing_outliers(report):
        text = one.summary.removeprefix(f"{one.node}: ")
        reasons.setdefault(one.node, []).append(text)
    explained = {(one.node, one.finding) for one in report.outliers}
    for finding in report.findings:
        common = 2 * finding.count > len(report.nodes)
        if finding.severity != "breaks" or common:
            continue
        for node in finding.nodes:
            if (node, finding.name) not in explained:
                reasons.setdefault(node, []).append(finding.title)
    return reasons
