"""A fleet as one HTML page: nodes to drain, a heat strip of all nodes, tables."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec

from pipedoctor.check import Severity
from pipedoctor.fleet.model import FleetReport, Outlier
from pipedoctor.fleet.output import words
from pipedoctor.fleet.properties import format_value, get_property
from pipedoctor.report.html_page import render_page
from pipedoctor.textsafe import encode_json

_SEVERITY_INDEX = ("note", "slows", "risks", "breaks")


class _OutlierRow(msgspec.Struct, frozen=True):
    """One row of the table: an outlier, or the same one of more nodes than are listed."""

    outlier: Outlier
    nodes: tuple[str, ...]
    numbers: str = ""
    """Of several: their places in the strip, for the filter."""


def render(report: FleetReport) -> str:
    """Write it as a page that needs nothing but itself; 2,000 nodes take 0.2 MB."""
    total = report.summary
    return render_page(
        f"{words.describe_verdict(report)} - pipedoctor",
        "fleet.html.jinja",
        styles=("fleet.css",),
        scripts=("fleet.js",),
        record=encode_json(build_heat_strip(report)).decode(),
        report=report,
        rows=list(_list_rows(report)),
        counts={grade: getattr(total, grade) for grade in _SEVERITY_INDEX},
        reasons=words.list_reasons(report),
        sentences=words,
        format_value=_format_value,
        worst=_map_worst_severity(report),
    )


def _list_rows(report: FleetReport) -> Iterator[_OutlierRow]:
    """A row each; what very many nodes have alike is one row, or the page would be huge."""
    numbers = {one.node: at for at, one in enumerate(report.nodes)}
    alike: dict[tuple[str, ...], list[Outlier]] = defaultdict(list)
    for one in report.outliers:
        same = (one.property, one.group, one.severity, one.finding or "")
        alike[(*same, repr(one.value), repr(one.majority))].append(one)
    for found in alike.values():
        if len(found) <= words.MAX_LISTED:
            yield from (_OutlierRow(one, (one.node,)) for one in found)
        else:
            nodes = tuple(one.node for one in found)
            places = ",".join(str(numbers[node]) for node in nodes)
            yield _OutlierRow(found[0], nodes, places)


def build_heat_strip(report: FleetReport) -> dict[str, Any]:
    """The strip as data: a column a node, a row a property or a finding, marks."""
    numbers = {one.node: at for at, one in enumerate(report.nodes)}
    groups = {one.group: at for at, one in enumerate(report.groups)}
    cells: dict[str, dict[int, int]] = {}
    for one in report.outliers:
        row = cells.setdefault(one.property, {})
        row[numbers[one.node]] = _SEVERITY_INDEX.index(one.severity)
    for finding in report.findings:
        if 2 * finding.count <= len(report.nodes):
            row = cells.setdefault(finding.name, {})
            row.update(
                (numbers[node], _SEVERITY_INDEX.index(finding.severity))
                for node in finding.nodes
                if node in numbers
            )
    rows = [name for name, marks in cells.items() if marks]
    return {
        "nodes": [one.node for one in report.nodes],
        "groups": list(groups),
        "of": [groups[one.group] for one in report.nodes],
        "rows": rows,
        "marks": [
            (node, at, grade)
            for at, name in enumerate(rows)
            for node, grade in sorted(cells[name].items())
        ],
    }


def _format_value(name: str, value: object) -> str:
    return format_value(value, get_property(name).unit)


def _map_worst_severity(report: FleetReport) -> str:
    worst = report.get_worst_severity()
    if worst is not None and worst > Severity.NOTE:
        return worst.name.lower()
    return "well" if report.nodes else "unknown"
