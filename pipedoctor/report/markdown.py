"""The report as Markdown for a ticket: a table, remedies in fences, facts folded."""

import re
from collections.abc import Iterator

from pipedoctor.legible import indented
from pipedoctor.report import words
from pipedoctor.report.model import Cure, Entry, Report

_SPECIAL = re.compile(r"[\\`*\[\]|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^[+-]")
_MOST_UNREAD = 20
_INERT = {
    "<": "&lt;",
    ">": "&gt;",
    "@": "@<!-- -->",
    "#": "#<!-- -->",
    "://": "&colon;//",
}
"""Mentions and references are looked for in the text after Markdown is done."""


def render(report: Report) -> str:
    """Write the report as Markdown that shows every value and obeys none."""
    return "\n".join(_lines(report)).rstrip("\n") + "\n"


def plain(text: object) -> str:
    """Make any text safe in a sentence or a table cell: no link, no tag, no mention."""
    safe = _SPECIAL.sub(r"\\\g<0>", words.clean(text).replace("&", "&amp;"))
    for odd, inert in _INERT.items():
        safe = safe.replace(odd, inert)
    return safe


def fenced(text: str, language: str = "") -> str:
    """Put text into a fence that is longer than any inside it."""
    body = "\n".join(map(words.clean, text.rstrip("\n").split("\n")))
    longest = max(map(len, re.findall("`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{body}\n{fence}"


def _lines(report: Report) -> Iterator[str]:
    yield from opening(report)
    if report.findings:
        yield from TABLE
        yield from map(row, report.findings)
        yield ""
    for entry in report.findings:
        yield from section(entry)
    yield from _rest(report)


def opening(report: Report) -> Iterator[str]:
    """The verdict, and what was examined."""
    yield f"# pipedoctor: {plain(words.verdict(report))}"
    yield ""
    yield f"{plain(words.place(report))}. {plain(words.when(report))}."
    yield ""
    if unread := words.not_read(report, _MOST_UNREAD):
        yield from (plain(unread), "")


TABLE = ("| # | severity | finding | check |", "|--:|---|---|---|")


def row(entry: Entry) -> str:
    """A finding in the table, with what explains it."""
    why = f" (explained by {plain(entry.cause)})" if entry.cause else ""
    summary = f"{plain(entry.summary)}{why}"
    return f"| {entry.rank} | {entry.severity} | {summary} | {_named(entry)} |"


def _named(entry: Entry) -> str:
    return f"{plain(entry.code)} {plain(entry.name)}"


def section(entry: Entry) -> Iterator[str]:
    """A finding with its evidence and its remedies."""
    yield f"## {entry.rank}. {plain(entry.summary)}"
    yield ""
    yield f"{entry.severity}, {entry.confidence}; {_named(entry)}"
    if entry.cause:
        yield f"(explained by {plain(entry.cause)}: cure that one first)"
    yield ""
    if entry.location:
        yield f"- at {plain(words.place_of(entry))}"
    for name, value in words.evidence(entry.evidence):
        yield f"- {plain(name)}: {plain(value)}"
    if entry.gain:
        yield f"- {plain(words.gained(entry.gain))}"
    if entry.location or entry.evidence or entry.gain:
        yield ""
    for cure in entry.remedies:
        yield from _cure(cure)


def _cure(cure: Cure) -> Iterator[str]:
    yield f"**{plain(cure.title)}** ({plain(words.where(cure))})"
    yield ""
    if cure.shell:
        yield from (fenced(cure.shell, "sh"), "")
    for put in cure.puts:
        yield from (f"in {plain(put.path)}:", "", fenced(put.content), "")
    if cure.snippet:
        yield from (fenced(cure.snippet), "")


def _rest(report: Report) -> Iterator[str]:
    yield from skipped(report)
    yield from healthy(report)
    facts = indented(report.facts)
    yield from folded("Facts", fenced(facts.decode(), "json"))


def skipped(report: Report) -> Iterator[str]:
    """What could not be judged, folded; nothing where all could be."""
    if report.skipped:
        title = f"{len(report.skipped)} skipped: not judged, so neither ill nor healthy"
        rows = (
            f"- {plain(reason)}: {plain(words.named(skips))}"
            for reason, skips in words.by_reason(report)
        )
        yield from folded(title, "\n".join(rows))


def healthy(report: Report) -> Iterator[str]:
    """What is healthy, folded; nothing where nothing is."""
    if report.healthy:
        title = f"{len(report.healthy)} healthy"
        yield from folded(title, plain(", ".join(report.healthy)))


def folded(title: str, body: str) -> Iterator[str]:
    """Markdown behind a title that opens on a click."""
    yield from ("<details>", f"<summary>{plain(title)}</summary>", "", body)
    yield from ("", "</details>", "")
