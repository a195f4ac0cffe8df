"""What an upgrade did to a fleet, in a terminal: the commonest change first."""

from typing import Any

from pipedoctor.fleet.change import FleetChange
from pipedoctor.fleet.output import words
from pipedoctor.fleet.properties import format_value, get_property
from pipedoctor.report.sentences import clean_text
from pipedoctor.report.terminal import TerminalWriter


def render(change: FleetChange, *, width: int, color: bool) -> str:
    """Write it; every change with the nodes that have it, a few of them by name."""
    canvas = TerminalWriter(width, color=color)
    total = words.format_node_count(change.nodes)
    if not change.has_differences:
        canvas.write_paragraph(f"No difference in {total}.")
        return canvas.to_text()
    fit = f"{change.fit_before:,} nodes were fit for the job, {change.fit_after:,} are"
    canvas.write_paragraph(f"{total} in both; {fit}.", style="bold")
    for title, nodes in (("gone", change.gone), ("new", change.new)):
        if nodes:
            named = f"{words.format_node_count(len(nodes))} {title}: {words.join_nodes(nodes)}"
            canvas.write_paragraph(named)
    canvas.write_blank()
    for one in change.changes:
        step = _describe_step(one.property, one.before, one.after)
        canvas.write_paragraph(clean_text(f"{step} on {words.format_node_count(one.count)}"))
        if one.count <= words.MAX_LISTED:
            canvas.write_paragraph(words.join_nodes(one.nodes), indent=4)
    for rate in change.rates:
        step = _describe_step(rate.property, rate.before, rate.after)
        canvas.write_paragraph(
            clean_text(f"{step} at the median of {words.format_node_count(rate.nodes)}")
        )
    _write_outliers(canvas, change)
    return canvas.to_text().rstrip("\n") + "\n"


def _write_outliers(canvas: TerminalWriter, change: FleetChange) -> None:
    for title, found in (
        ("New outliers", change.outliers_new),
        ("Resolved outliers", change.outliers_gone),
    ):
        if found:
            canvas.write_blank()
            canvas.write_paragraph(title, style="bold")
            for one in found:
                canvas.write_paragraph(f"{one.severity.upper():<6}  {clean_text(one.summary)}")


def _describe_step(name: str, before: Any, after: Any) -> str:
    unit = get_property(name).unit
    return f"{name}: {format_value(before, unit)} -> {format_value(after, unit)}"
