"""The report as Markdown for a ticket: a table, remedies in fences, facts folded."""

import re
from collections.abc import Iterator

from pipedoctor.report import sentences
from pipedoctor.report.configuration import describe_configuration
from pipedoctor.report.edit_diff import NO_DIFFS, EditDiffs
from pipedoctor.report.model import Report, ReportedFinding, ReportedRemedy
from pipedoctor.report.size_limits import describe_left_out
from pipedoctor.textsafe import encode_indented_json

_MARKDOWN_CHARS = re.compile(r"[\\`*\[\]|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^[+-]")
_MAX_UNREAD = 20
_INERT_FORMS = {
    "<": "&lt;",
    ">": "&gt;",
    "@": "@<!-- -->",
    "#": "#<!-- -->",
    "://": "&colon;//",
}
"""Mentions and references are looked for in the text after Markdown is done."""


def render(report: Report, *, diffs: EditDiffs = NO_DIFFS) -> str:
    """Write the report as Markdown that shows every value and obeys none."""
    return "\n".join(_write_lines(report, diffs)).rstrip("\n") + "\n"


def escape_markdown(text: object) -> str:
    """Make any text safe in a sentence or a table cell: no link, no tag, no mention."""
    safe = _MARKDOWN_CHARS.sub(r"\\\g<0>", sentences.clean_text(text).replace("&", "&amp;"))
    for odd, inert in _INERT_FORMS.items():
        safe = safe.replace(odd, inert)
    return safe


def fence_code(text: str, language: str = "") -> str:
    """Put text into a fence that is longer than any inside it."""
    body = "\n".join(map(sentences.clean_text, text.rstrip("\n").split("\n")))
    longest = max(map(len, re.findall("`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{body}\n{fence}"


def _write_lines(report: Report, diffs: EditDiffs) -> Iterator[str]:
    yield from write_opening(report)
    if report.findings:
        yield from TABLE_HEADER
        yield from map(format_row, report.findings)
        yield ""
    for entry in report.findings:
        yield from write_finding(entry, diffs)
    yield from _write_appendix(report)


def write_opening(report: Report) -> Iterator[str]:
    """The verdict, and what was examined."""
    yield f"# pipedoctor: {escape_markdown(sentences.describe_verdict(report))}"
    yield ""
    place, when = sentences.describe_place(report), sentences.describe_time(report)
    yield f"{escape_markdown(place)}. {escape_markdown(when)}."
    yield ""
    if unread := sentences.describe_unread(report, _MAX_UNREAD):
        yield from (escape_markdown(unread), "")
    for sentence in describe_configuration(report.configuration):
        yield from (escape_markdown(sentence), "")


TABLE_HEADER = ("| # | severity | finding | check |", "|--:|---|---|---|")


def format_row(entry: ReportedFinding) -> str:
    """A finding in the table, with what explains it."""
    why = f" (explained by {escape_markdown(entry.cause)})" if entry.cause else ""
    summary = f"{escape_markdown(entry.summary)}{why}"
    return f"| {entry.rank} | {entry.severity} | {summary} | {_format_check(entry)} |"


def _format_check(entry: ReportedFinding) -> str:
    return f"{escape_markdown(entry.code)} {escape_markdown(entry.name)}"


def write_finding(entry: ReportedFinding, diffs: EditDiffs = NO_DIFFS) -> Iterator[str]:
    """A finding with its evidence and its remedies."""
    yield f"## {entry.rank}. {escape_markdown(entry.summary)}"
    yield ""
    yield f"{entry.severity}, {entry.confidence}; {_format_check(entry)}"
    if entry.cause:
        yield f"(explained by {escape_markdown(entry.cause)}: fix that one first)"
    yield ""
    if entry.location:
        yield f"- at {escape_markdown(sentences.format_location(entry))}"
    for name, value in sentences.format_evidence(entry.evidence):
        yield f"- {escape_markdown(name)}: {escape_markdown(value)}"
    if entry.gain:
        yield f"- {escape_markdown(sentences.describe_gain(entry.gain))}"
    if entry.location or entry.evidence or entry.gain:
        yield ""
    for remedy in entry.remedies:
        yield from _write_remedy(remedy, diffs.get(remedy.edits, ()))


def _write_remedy(remedy: ReportedRemedy, changes: tuple[str, ...]) -> Iterator[str]:
    place = escape_markdown(sentences.describe_remedy_place(remedy))
    yield f"**{escape_markdown(remedy.title)}** ({place})"
    yield ""
    if remedy.shell:
        yield from (fence_code(remedy.shell, "sh"), "")
    for put in remedy.puts:
        yield from (f"in {escape_markdown(put.path)}:", "", fence_code(put.content), "")
    if changes:
        yield from (fence_code("\n".join(changes), "diff"), "")
    elif remedy.listing:
        yield from (fence_code(remedy.listing), "")


def _write_appendix(report: Report) -> Iterator[str]:
    yield from write_skipped(report)
    yield from write_healthy(report)
    facts = encode_indented_json(report.facts)
    left_out = describe_left_out(len(facts))
    yield from write_details("Facts", left_out or fence_code(facts.decode(), "json"))


def write_skipped(report: Report) -> Iterator[str]:
    """What could not be judged, and what is not applicable, folded."""
    for title, groups in sentences.list_skips(report):
        rows = (
            f"- {escape_markdown(reason)}: {escape_markdown(sentences.format_checks(skips))}"
            for reason, skips in groups
        )
        yield from write_details(title, "\n".join(rows))


def write_healthy(report: Report) -> Iterator[str]:
    """What is healthy, folded; nothing where nothing is."""
    if report.healthy:
        title = f"{len(report.healthy)} healthy"
        yield from write_details(title, escape_markdown(", ".join(report.healthy)))


def write_details(title: str, body: str) -> Iterator[str]:
    """Markdown behind a title that opens on a click."""
    yield from ("<details>", f"<summary>{escape_markdown(title)}</summary>", "", body)
    yield from ("", "</details>", "")
