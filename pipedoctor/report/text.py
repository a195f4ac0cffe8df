"""The report for a terminal: ranked, remedies pasteable, nothing in it obeyed."""

from types import MappingProxyType
from typing import TYPE_CHECKING

from pipedoctor.report import sentences
from pipedoctor.report.edit_diff import NO_DIFFS, EditDiffs
from pipedoctor.report.model import Report, ReportedFinding
from pipedoctor.report.rule_summary import count_rules, summarize_rules

if TYPE_CHECKING:
    from pipedoctor.report.source_frame import SourceFrames

_NO_FRAMES: "SourceFrames" = MappingProxyType({})


def render(  # noqa: PLR0913  (how it is written)
    report: Report,
    *,
    width: int = 100,
    color: bool = False,
    detail: sentences.DetailLevel = "normal",
    ascii_only: bool = False,
    statistics: bool = False,
    frames: "SourceFrames" = _NO_FRAMES,
    diffs: EditDiffs = NO_DIFFS,
) -> str:
    """
    Write the report for a terminal of this width; `brief`: a line a finding.

    `statistics`: a line a check, with how many findings it has. `frames` are lines of
    code to show under the findings in them, `diffs` what edits would change.
    """
    if statistics:
        return format_statistics(report)
    if detail == "brief":
        return "".join(_format_brief(entry) for entry in report.findings)
    from pipedoctor.report.text_page import (  # noqa: PLC0415  (rich: short lines need none)
        QuotedCode,
        ReportWriter,
    )

    quoted = QuotedCode(frames, diffs)
    page = ReportWriter(report, width, color=color, ascii_only=ascii_only, quoted_code=quoted)
    page.write_opening(report)
    full = detail == "full"
    only_notes = not sentences.count_findings(report.summary)
    if only_notes:  # what is healthy comes before what is merely worth knowing
        page.write_blank()
        page.write_counts(report, full=full)
    for rule in summarize_rules(report, every=full):
        page.write_blank()
        page.write_finding(rule.lead, full=full)
        page.write_others(rule)
    if report.findings or full:
        page.write_blank()
    if full:
        page.write_checks(report)
    if not only_notes:
        page.write_counts(report, full=full)
    page.write_next_step(report, full=full)
    return page.to_text()


def format_statistics(report: Report) -> str:
    """``12  PDR101  num-workers-zero  [fix]  title``: the most frequent check first."""
    rows = [
        (str(rule.count), rule.lead.code, rule.lead.name, rule.mark, rule.lead.title)
        for rule in sorted(count_rules(report), key=lambda rule: (-rule.count, rule.lead.code))
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    pads = [str.rjust, str.ljust, str.ljust, str.ljust]
    lines = [
        "  ".join([*(pad(c, w) for pad, c, w in zip(pads, row, widths, strict=False)), row[-1]])
        for row in rows
    ]
    return "".join(f"{sentences.clean_text(line)}\n" for line in lines)


def _format_brief(entry: ReportedFinding) -> str:
    at = f"{sentences.format_location(entry)} " if entry.location else ""
    summary = sentences.clean_text(entry.summary)
    return f"{entry.severity:<6} {entry.code} {entry.name}: {at}{summary}\n"
