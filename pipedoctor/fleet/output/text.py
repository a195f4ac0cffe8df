"""A fleet in a terminal: the answer on the first screen, everything else below it."""

import re
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from pipedoctor.fleet.model import FleetReport
from pipedoctor.fleet.output import words
from pipedoctor.report.sentences import clean_text
from pipedoctor.report.terminal import SEVERITY_STYLES, TerminalWriter


def render(report: FleetReport, *, width: int, color: bool, places: str = "") -> str:
    """Write it; `places` are the folders as they were typed, for the line to paste."""
    canvas = TerminalWriter(width, color=color)
    _write_verdict(canvas, report, places)
    _write_outliers(canvas, report)
    _write_findings(canvas, report)
    _write_repeated(canvas, report)
    _write_files(canvas, report)
    return canvas.to_text().rstrip("\n") + "\n"


def _write_verdict(canvas: TerminalWriter, report: FleetReport, places: str) -> None:
    canvas.write_paragraph(f"{words.describe_verdict(report)}.", style="bold")
    if out := words.describe_uncounted(report):
        canvas.write_paragraph(f"Not counted: {out}.")
    rows = words.list_reasons(report)
    if rows:
        nodes = {node for row in rows for node in row.nodes}
        canvas.write_paragraph(f"Drain {words.format_node_count(len(nodes))}:")
        canvas.write_block(_build_reasons_table(rows, canvas.width), indent=2)
        if places:
            canvas.write_verbatim(f"$ pipedoctor fleet show {places} --format slurm")
    canvas.write_blank()
    for group in report.groups:
        why = "" if group.judged else f": {clean_text(group.why)}"
        canvas.write_paragraph(
            f"{words.format_node_count(group.nodes)} with {clean_text(group.group)}{why}"
        )
    canvas.write_blank()


def _build_reasons_table(rows: Sequence[words.Reason], width: int) -> Table:
    table = Table.grid(padding=(0, 2))
    for _ in range(3):
        table.add_column(overflow="fold")
    taken = len("  BREAKS  ") + max(len(row.what) for row in rows) + 2
    for row in rows:
        grade = Text(row.severity.upper(), style=SEVERITY_STYLES[row.severity])
        who = _break_at_commas(words.join_nodes(row.nodes), width - taken)
        table.add_row(grade, Text(clean_text(row.what)), Text(who))
    return table


def _break_at_commas(names: str, width: int) -> str:
    """Lines of a list of hosts, so that no number in it is cut."""
    lines = [""]
    for part in re.split(r"(?<=,)", names):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part if lines[-1] else part.lstrip()
    return "\n".join(line.rstrip() for line in lines)


def _write_outliers(canvas: TerminalWriter, report: FleetReport) -> None:
    if not report.outliers:
        return
    count = len(report.outliers)
    canvas.write_paragraph(f"{count:,} outlier{'' if count == 1 else 's'}", style="bold")
    for one in report.outliers:
        line = Text(f"{one.severity.upper():<6}  ", style=SEVERITY_STYLES[one.severity])
        line.append(clean_text(one.summary), style="default")
        if one.finding:
            line.append(f" ({clean_text(one.finding)})", style="default")
        canvas.write_paragraph(line)
    canvas.write_blank()


def _write_findings(canvas: TerminalWriter, report: FleetReport) -> None:
    if not report.findings:
        return
    canvas.write_paragraph("Findings, by number of nodes", style="bold")
    for one in report.findings:
        line = Text(f"{one.severity.upper():<6}  ", style=SEVERITY_STYLES[one.severity])
        what = f"{clean_text(one.code)} {clean_text(one.name)}: {words.describe_finding(one)}"
        line.append(what, style="default")
        canvas.write_paragraph(line)
        if one.nodes and len(one.nodes) <= words.MAX_LISTED:
            canvas.write_paragraph(words.join_nodes(one.nodes), indent=8)
    canvas.write_blank()


def _write_repeated(canvas: TerminalWriter, report: FleetReport) -> None:
    if not report.repeated:
        return
    canvas.write_paragraph("Repeated outliers", style="bold")
    for one in report.repeated:
        when = f"{one.runs} of {one.of} runs, {one.first} to {one.last}"
        canvas.write_paragraph(f"{clean_text(one.node)}: {clean_text(one.property)} in {when}")
    canvas.write_blank()


def _write_files(canvas: TerminalWriter, report: FleetReport) -> None:
    if report.missing:
        canvas.write_paragraph(
            f"{words.format_node_count(len(report.missing))} missing", style="bold"
        )
        canvas.write_paragraph(words.join_nodes(report.missing))
        canvas.write_blank()
    if report.unreadable:
        canvas.write_paragraph(f"{len(report.unreadable):,} unreadable", style="bold")
        for one in report.unreadable:
            canvas.write_paragraph(f"{clean_text(one.file)}: {clean_text(one.reason)}")
        canvas.write_blank()
    if report.superseded:
        count = len(report.superseded)
        canvas.write_paragraph(f"{count:,} older report{'' if count == 1 else 's'} ignored")
