"""The report as one HTML page: findings, resources as bars, facts folded, a record."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipedoctor.check import Severity
from pipedoctor.report import fact_tables, fixable, json, sentences
from pipedoctor.report.configuration import describe_configuration
from pipedoctor.report.edit_diff import NO_DIFFS, EditDiffs
from pipedoctor.report.html_page import render_page
from pipedoctor.report.model import Report, ReportedFinding
from pipedoctor.report.resources import build_resources
from pipedoctor.report.size_limits import describe_left_out
from pipedoctor.report.timeline import build_timeline
from pipedoctor.textsafe import encode_json
from pipedoctor.units import format_count

FILTER_THRESHOLD = 12
"""Findings from which on the page offers to filter them."""


@dataclass(frozen=True, kw_only=True)
class FindingGroup:
    """A finding that stands on its own, and what it explains."""

    lead: ReportedFinding
    symptoms: tuple[ReportedFinding, ...]
    open: bool


def render(report: Report, *, diffs: EditDiffs = NO_DIFFS) -> str:
    """Write the report as a page that needs nothing but itself; `diffs` are of edits."""
    record = json.ReportRecord(schema=report.schema, created=report.created, facts=report.facts)
    encoded = encode_json(record).decode()
    left_out = describe_left_out(len(encoded))
    sentence = sentences.describe_verdict(report)
    return render_page(
        f"{sentence[:1].upper()}{sentence[1:]} - pipedoctor",
        "report.html.jinja",
        record="" if left_out else encoded,
        left_out=left_out,
        report=report,
        diffs=diffs,
        worst=_worst_severity(report),
        groups=tuple(_group_findings(report.findings)),
        resources=build_resources(report),
        skips=sentences.list_skips(report),
        fix_command=fixable.format_fix_command(report),
        unread=sentences.list_unread(report),
        timeline=build_timeline(report),
        configuration=tuple(describe_configuration(report.configuration)),
        sections=fact_tables.build_sections(report.facts.known),
        content=format_count(len(report.healthy), "check"),
        filtered=len(report.findings) >= FILTER_THRESHOLD,
    )


def _worst_severity(report: Report) -> str:
    worst = report.worst_severity()
    if worst is not None and worst > Severity.NOTE:
        return worst.name.lower()
    return "well" if report.has_verdicts else "unknown"


def _group_findings(findings: Sequence[ReportedFinding]) -> Iterator[FindingGroup]:
    """Put symptoms into their cause; only the first is open: one screen for all."""
    led: list[list[ReportedFinding]] = []
    for entry in findings:
        if entry.cause and led:
            led[-1].append(entry)
        else:
            led.append([entry])
    for number, (lead, *symptoms) in enumerate(led):
        yield FindingGroup(lead=lead, symptoms=tuple(symptoms), open=not number)
