"""A fleet as Markdown for a ticket or a wiki: the answer, then tables."""

from collections.abc import Iterator

from pipedoctor.fleet.model import FleetReport
from pipedoctor.fleet.output import words
from pipedoctor.report.markdown import escape_markdown


def render(report: FleetReport) -> str:
    """Every value shown, none obeyed."""
    return "\n".join(_list_lines(report)).rstrip("\n") + "\n"


def _list_lines(report: FleetReport) -> Iterator[str]:
    yield from (f"# {escape_markdown(words.describe_verdict(report))}", "")
    if out := words.describe_uncounted(report):
        yield from (f"Not counted: {escape_markdown(out)}.", "")
    rows = words.list_reasons(report)
    if rows:
        yield from ("## Nodes to drain", "")
        yield from ("| severity | why | nodes |", "|---|---|---|")
        for row in rows:
            what = f"{escape_markdown(row.what)}: {escape_markdown(row.example)}"
            yield f"| {row.severity} | {what} | {escape_markdown(words.join_nodes(row.nodes))} |"
        yield ""
    yield from _list_groups(report)
    yield from _list_outliers(report)
    yield from _list_findings(report)
    yield from _list_repeated(report)
    yield from _list_files(report)


def _list_groups(report: FleetReport) -> Iterator[str]:
    yield from ("## Groups", "", "| group | nodes | |", "|---|--:|---|")
    for one in report.groups:
        yield f"| {escape_markdown(one.group)} | {one.nodes} | {escape_markdown(one.why)} |"
    yield ""


def _list_outliers(report: FleetReport) -> Iterator[str]:
    if not report.outliers:
        return
    yield from ("## Outliers", "", "| severity | what | finding |", "|---|---|---|")
    for one in report.outliers:
        finding = escape_markdown(one.finding or "")
        yield f"| {one.severity} | {escape_markdown(one.summary)} | {finding} |"
    yield ""


def _list_findings(report: FleetReport) -> Iterator[str]:
    if not report.findings:
        return
    head = "| severity | finding | nodes | |"
    yield from ("## Findings, by number of nodes", "", head, "|---|---|--:|---|")
    for one in report.findings:
        few = words.join_nodes(one.nodes) if len(one.nodes) <= words.MAX_LISTED else ""
        what = (
            f"{escape_markdown(one.code)} {escape_markdown(one.name)}: {escape_markdown(one.title)}"
        )
        yield f"| {one.severity} | {what} | {one.count} | {escape_markdown(few)} |"
    yield ""


def _list_repeated(report: FleetReport) -> Iterator[str]:
    if not report.repeated:
        return
    yield from ("## Repeated outliers", "")
    yield from ("| node | property | runs | of |", "|---|---|--:|--:|")
    for one in report.repeated:
        cells = (escape_markdown(one.node), escape_markdown(one.property), one.runs, one.of)
        yield f"| {' | '.join(map(str, cells))} |"
    yield ""


def _list_files(report: FleetReport) -> Iterator[str]:
    if report.missing:
        yield from ("## Missing", "", escape_markdown(words.join_nodes(report.missing)), "")
    if report.unreadable:
        yield from ("## Unreadable", "", "| file | reason |", "|---|---|")
        for one in report.unreadable:
            yield f"| {escape_markdown(one.file)} | {escape_markdown(one.reason)} |"
        yield ""
    if report.superseded:
        yield f"{len(report.superseded)} older reports were ignored."
