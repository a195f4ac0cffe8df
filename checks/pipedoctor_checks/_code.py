"""Findings in code: where they are, and what they share."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pipedoctor.check import (
    Confidence,
    Counterfactual,
    Finding,
    Location,
    Severity,
)
from pipedoctor.facts.source import Event, Spot
from pipedoctor.remedy import Remedy


def location(at: Spot) -> Location:
    """A place as findings name it; in a notebook the cell is in the path."""
    path = f"{at.path}#cell{at.cell}" if at.cell else at.path
    return Location(
        path=path,
        line=at.line,
        column=at.column,
        end_line=at.end_line,
        end_column=at.end_column,
    )


def at(
    spots: Sequence[Spot],
    severity: Severity,
    summary: str,
    *remedies: Remedy,
    confidence: Confidence = Confidence.CERTAIN,
    counterfactual: Counterfactual | None = None,
    **evidence: Any,
) -> Finding:
    """Say something of a place, and of the others that have the same cause."""
    first, *others = dict.fromkeys(map(location, spots))
    return Finding(
        severity=severity,
        summary=summary,
        evidence=evidence,
        remedies=remedies,
        confidence=confidence,
        location=first,
        also_at=tuple(others),
        counterfactual=counterfactual,
    )


def by_class(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Events of one class or function together: they have one cause."""
    groups: dict[tuple[str, str], list[Event]] = {}
    for event in events:
        groups.setdefault((event.at.path, event.owner), []).append(event)
    yield from groups.values()


def by_file(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Events of one file together: one edit mends them all."""
    groups: dict[tuple[str, int], list[Event]] = {}
    for event in events:
        groups.setdefault((event.at.path, event.at.cell), []).append(event)
    yield from groups.values()


def by_function(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Events of one function together."""
    groups: dict[tuple[str, str], list[Event]] = {}
    for event in events:
        groups.setdefault((event.at.path, event.function), []).append(event)
    yield from groups.values()


def together(groups: Sequence[Sequence[Event]], verb: str) -> str:
    """``Cars.__init__ keeps``, or ``Cars.__init__ and 3 more keep``."""
    more = len(groups) - 1
    first = groups[0][0].function
    return f"{first} and {more} more {verb}" if more else f"{first} {verb}s"


def spots(events: Iterable[Event]) -> list[Spot]:
    """Where these happen."""
    return [event.at for event in events]
