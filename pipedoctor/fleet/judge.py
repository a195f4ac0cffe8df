"""From reports of nodes to the judgement of the fleet: checks, causes, findings."""

import datetime as dt
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from msgspec.structs import replace

from pipedoctor.check import Finding, Severity, Verdict
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.engine.runner import run_checks
from pipedoctor.facts import Facts
from pipedoctor.facts.fleet import Fleet, ReferenceNode, SeverityName
from pipedoctor.fleet import model
from pipedoctor.fleet.columns import build_group
from pipedoctor.fleet.expected import ExpectedNodes
from pipedoctor.fleet.fold import fold_outliers
from pipedoctor.fleet.grouping import group_nodes
from pipedoctor.fleet.ingest import IngestedReports, NodeReport, SupersededFile, UnreadableFile
from pipedoctor.fleet.related_findings import list_related_checks
from pipedoctor.fleet.summary import build_summary

MIN_GROUP_NODES = 5
"""Nodes of a group of which most can be said to be of one kind."""
CHECK_TIMEOUT = 60.0
"""Seconds that a check may think about a whole fleet."""


def build_fleet(
    reports: IngestedReports,
    expected_nodes: ExpectedNodes | None = None,
    reference: ReferenceNode | None = None,
) -> tuple[Fleet, Mapping[str, Sequence[NodeReport]]]:
    """The fact that checks judge, and the nodes of each group."""
    groups = group_nodes(reports.nodes)
    names = [one.node for one in reports.nodes]
    fleet = Fleet(
        groups=tuple(build_group(n, members, reference) for n, members in groups.items()),
        reference=reference,
        expected=expected_nodes.count if expected_nodes else None,
        reported=len(names),
        missing=expected_nodes.list_missing(names) if expected_nodes else None,
        unreadable=tuple(one.file for one in reports.unreadable),
    )
    return fleet, groups


def judge_fleet(
    catalogue: Catalogue,
    reports: IngestedReports,
    *,
    expected_nodes: ExpectedNodes | None = None,
    reference: ReferenceNode | None = None,
    began: float,
) -> model.FleetReport:
    """Judge a fleet; `began` is on the monotonic clock."""
    fleet, groups = build_fleet(reports, expected_nodes, reference)
    able = any(Fleet in check.needs for check in catalogue.checks.values())
    verdicts = run_checks(
        catalogue,
        Facts(fleet),
        check_filter=lambda check: Fleet in check.needs,
        timeout=CHECK_TIMEOUT,
    )
    findings = [*_list_fleet_findings(catalogue, verdicts), *_count_findings(reports, catalogue)]
    report = model.FleetReport(
        created=dt.datetime.now(tz=dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=0.0,
        groups=tuple(
            _judge_group(name, len(members), reference, able=able)
            for name, members in groups.items()
        ),
        nodes=tuple(_build_node(one, name) for name, members in groups.items() for one in members),
        outliers=tuple(sorted(_list_outliers(verdicts, reports), key=_get_outlier_order)),
        findings=tuple(sorted(findings, key=_get_finding_order)),
        missing=fleet.missing or (),
        superseded=tuple(map(_convert_superseded, reports.superseded)),
        unreadable=tuple(map(_convert_unreadable, reports.unreadable)),
        skipped=tuple(_list_skipped(catalogue, verdicts)),
        summary=model.Summary(),
    )
    seconds = round(time.monotonic() - began, 3)
    return replace(report, summary=build_summary(report, expected_nodes), seconds=seconds)


def _list_skipped(catalogue: Catalogue, verdicts: Sequence[Verdict]) -> Iterator[model.FailedCheck]:
    """Those that could not judge although they were asked to."""
    for verdict in verdicts:
        asked = verdict.applicable and not verdict.skipped.startswith("no --")
        if verdict.skipped and asked:
            name = catalogue.checks[verdict.code].name
            yield model.FailedCheck(code=verdict.code, name=name, reason=verdict.skipped)


def _convert_superseded(one: SupersededFile) -> model.SupersededReport:
    return model.SupersededReport(file=one.file, node=one.node, by=one.by)


def _convert_unreadable(one: UnreadableFile) -> model.UnreadableReport:
    return model.UnreadableReport(file=one.file, reason=one.reason)


def _judge_group(
    name: str, nodes: int, reference: ReferenceNode | None, *, able: bool
) -> model.JudgedGroup:
    by_reference = reference is not None and reference.group == name
    if not able:
        why = "no check over fleets is installed"
        return model.JudgedGroup(group=name, nodes=nodes, judged=False, why=why)
    judged = nodes >= MIN_GROUP_NODES or by_reference
    why = "" if judged else f"too few to judge: {nodes}; at least {MIN_GROUP_NODES} are needed"
    return model.JudgedGroup(group=name, nodes=nodes, judged=judged, why=why)


def _build_node(one: NodeReport, group: str) -> model.FleetNode:
    return model.FleetNode(node=one.node, group=group, file=one.file, created=one.report.created)


def _list_outliers(verdicts: Sequence[Verdict], reports: IngestedReports) -> list[model.Outlier]:
    found = {one.node: {f.name: f.severity for f in one.report.findings} for one in reports.nodes}
    return fold_outliers(
        _build_outlier(finding, found[finding.evidence["node"]])
        for verdict in verdicts
        for finding in verdict.findings
        if "property" in finding.evidence
    )


def _build_outlier(finding: Finding, names: Mapping[str, str]) -> model.Outlier:
    evidence = finding.evidence
    name = next((n for n in list_related_checks(evidence["property"]) if n in names), None)
    severity = finding.severity
    if name is not None:
        severity = max(severity, Severity[names[name].upper()])
    return model.Outlier(
        **evidence,
        severity=cast("SeverityName", severity.name.lower()),
        finding=name,
        summary=finding.summary,
    )


def _list_fleet_findings(
    catalogue: Catalogue, verdicts: Sequence[Verdict]
) -> list[model.FleetFinding]:
    """Findings about the fleet as a whole."""
    return [
        model.FleetFinding(
            code=verdict.code,
            name=catalogue.checks[verdict.code].name,
            severity=cast("SeverityName", finding.severity.name.lower()),
            title=catalogue.checks[verdict.code].title,
            count=finding.evidence["count"],
            nodes=tuple(finding.evidence["missing"]),
            summary=finding.summary,
        )
        for verdict in verdicts
        for finding in verdict.findings
        if "missing" in finding.evidence
    ]


def _count_findings(reports: IngestedReports, catalogue: Catalogue) -> list[model.FleetFinding]:
    """What the nodes' own reports found, each with the nodes that have it."""
    nodes: dict[tuple[str, str], list[str]] = defaultdict(list)
    worst: dict[tuple[str, str], Severity] = {}
    titles: dict[tuple[str, str], str] = {}
    for one in reports.nodes:
        for found in one.report.findings:
            key = (found.code, found.name)
            if key not in nodes or nodes[key][-1] != one.node:
                nodes[key].append(one.node)
            grade = Severity[found.severity.upper()]
            worst[key] = max(worst.get(key, grade), grade)
            titles.setdefault(key, found.title)
    return [
        model.FleetFinding(
            code=code,
            name=name,
            severity=cast("SeverityName", worst[code, name].name.lower()),
            title=_get_title(catalogue, code, name) or titles[code, name] or name,
            count=len(members),
            nodes=tuple(members),
        )
        for (code, name), members in nodes.items()
    ]


def _get_title(catalogue: Catalogue, code: str, name: str) -> str:
    """Ours, where the check is known here, so that no report words it."""
    check = catalogue.checks.get(code)
    return check.title if check is not None and check.name == name else ""


def _get_outlier_order(one: model.Outlier) -> tuple[int, str, str]:
    return (-Severity[one.severity.upper()], one.node, one.property)


def _get_finding_order(one: model.FleetFinding) -> tuple[int, int, str]:
    return (-Severity[one.severity.upper()], one.count, one.code)
