"""A fleet for node_exporter's textfile collector, in Prometheus' text format."""

from collections.abc import Iterator, Mapping

from pipedoctor.check import Severity
from pipedoctor.fleet.model import FleetReport
from pipedoctor.report.sentences import clean_text


def render(report: FleetReport) -> str:
    """Gauges: nodes, fit nodes, outliers and findings; write it and rename it."""
    return "\n".join(_list_lines(report)) + "\n"


def _list_lines(report: FleetReport) -> Iterator[str]:
    total = report.summary
    for name, text, value in (
        ("fit", "Nodes that are fit for a job.", total.fit),
        ("missing", "Expected nodes without a report.", total.missing),
        ("unreadable_files", "Files that are not a readable report.", total.unreadable),
    ):
        yield from _render_gauge(f"pipedoctor_fleet_{name}", text)
        yield f"pipedoctor_fleet_{name} {value}"
    yield from _render_gauge("pipedoctor_fleet_nodes", "Nodes that reported, by group.")
    for group in report.groups:
        labels = _render_labels({"group": group.group})
        yield f"pipedoctor_fleet_nodes{labels} {group.nodes}"
    text = "Severity of a property in which a node is an outlier: 1 note to 4 breaks."
    yield from _render_gauge("pipedoctor_fleet_outlier", text)
    for one in report.outliers:
        labels = _render_labels(
            {"node": one.node, "property": one.property, "severity": one.severity}
        )
        yield f"pipedoctor_fleet_outlier{labels} {Severity[one.severity.upper()].value}"
    text = "Nodes with a finding."
    yield from _render_gauge("pipedoctor_fleet_finding_nodes", text)
    for found in report.findings:
        labels = _render_labels(
            {"code": found.code, "name": found.name, "severity": found.severity}
        )
        yield f"pipedoctor_fleet_finding_nodes{labels} {found.count}"


def _render_gauge(name: str, text: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} gauge"


def _render_labels(pairs: Mapping[str, str]) -> str:
    inside = ",".join(f'{name}="{_escape_label(text)}"' for name, text in pairs.items())
    return f"{{{inside}}}"


def _escape_label(text: str) -> str:
    return clean_text(text).replace("\\", r"\\").replace('"', r"\"")
