"""Findings in code: where they are, and what they share."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pipedoctor.check import (
    Confidence,
    Counterfactual,
    Finding,
    Remedy,
    Severity,
)
from pipedoctor.check.places import to_location
from pipedoctor.facts.code_events.details import D
from pipedoctor.facts.source import AnyEvent, Event, Spot


def make_code_finding(
    spots: Sequence[Spot],
    severity: Severity,
    summary: str,
    *remedies: Remedy,
    confidence: Confidence = Confidence.CERTAIN,
    counterfactual: Counterfactual | None = None,
    together: Iterable[tuple[Spot, Spot]] = (),
    **evidence: Any,
) -> Finding:
    """Make a finding about a place, and about the others that have the same cause."""
    first, *others = dict.fromkeys(map(to_location, spots))
    return Finding(
        severity=severity,
        summary=summary,
        evidence=evidence,
        remedies=remedies,
        confidence=confidence,
        location=first,
        also_at=tuple(others),
        together=tuple((to_location(one), to_location(other)) for one, other in together),
        counterfactual=counterfactual,
    )


def group_by_class(events: Iterable[Event[D]]) -> Iterator[list[Event[D]]]:
    """Events of one class or function together: they have one cause."""
    groups: dict[tuple[str, str], list[Event[D]]] = {}
    for event in events:
        groups.setdefault((event.at.path, event.owner), []).append(event)
    yield from groups.values()


def group_by_file(events: Iterable[Event[D]]) -> Iterator[list[Event[D]]]:
    """Group events by file: one edit fixes all of a file."""
    groups: dict[tuple[str, int], list[Event[D]]] = {}
    for event in events:
        groups.setdefault((event.at.path, event.at.cell), []).append(event)
    yield from groups.values()


def group_by_function(events: Iterable[Event[D]]) -> Iterator[list[Event[D]]]:
    """Events of one function together."""
    groups: dict[tuple[str, str], list[Event[D]]] = {}
    for event in events:
        groups.setdefault((event.at.path, event.function), []).append(event)
    yield from groups.values()


def name_functions(groups: Sequence[Sequence[AnyEvent]], verb: str) -> str:
    """Name functions: ``Cars.__init__ keeps``, ``Cars.__init__ and 3 more keep``."""
    more = len(groups) - 1
    first = groups[0][0].function
    return f"{first} and {more} more {verb}" if more else f"{first} {verb}s"


def list_spots(events: Iterable[AnyEvent]) -> list[Spot]:
    """Where these happen."""
    return [event.at for event in events]
