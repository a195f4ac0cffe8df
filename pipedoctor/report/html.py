"""The report as one HTML page: findings, resources as bars, facts folded, a record."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from pipedoctor.check import Severity
from pipedoctor.legible import compact
from pipedoctor.report import digest, json, words
from pipedoctor.report.model import Entry, Known, Report
from pipedoctor.report.page import page
from pipedoctor.report.resources import resources
from pipedoctor.units import many

MANY = 12
"""Findings from which on the page offers to filter them."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What the page keeps as data, so that `check --from` can judge it again."""

    schema: str
    created: str
    facts: Known


@dataclass(frozen=True, kw_only=True)
class Group:
    """A finding that stands on its own, and what it explains."""

    lead: Entry
    symptoms: tuple[Entry, ...]
    open: bool


def render(report: Report) -> str:
    """Write the report as a page that needs nothing but itself."""
    record = Record(schema=report.schema, created=report.created, facts=report.facts)
    sentence = words.verdict(report)
    return page(
        f"{sentence[:1].upper()}{sentence[1:]} - pipedoctor",
        "report.html.jinja",
        record=json.visible(compact(record)).decode(),
        report=report,
        worst=_worst(report),
        groups=tuple(_groups(report.findings)),
        resources=resources(report),
        reasons=words.by_reason(report),
        unread=words.unread(report),
        sections=digest.sections(report.facts.known),
        content=many(len(report.healthy), "check"),
        filtered=len(report.findings) >= MANY,
    )


def _worst(report: Report) -> str:
    worst = report.worst()
    if worst is not None and worst > Severity.NOTE:
        return worst.name.lower()
    return "well" if report.judged else "unknown"


def _groups(findings: Sequence[Entry]) -> Iterator[Group]:
    """Put symptoms into their cause; only the first is open: one screen for all."""
    led: list[list[Entry]] = []
    for entry in findings:
        if entry.cause and led:
            led[-1].append(entry)
        else:
            led.append([entry])
    for number, (lead, *symptoms) in enumerate(led):
        yield Group(lead=lead, symptoms=tuple(symptoms), open=not number)
