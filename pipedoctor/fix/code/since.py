"""Findings on changed lines alone, and of their edits those that stay there."""

import sys
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from pipedoctor.check import Finding, Location
from pipedoctor.fix.code.ground import Found
from pipedoctor.narrow.lines import moved
from pipedoctor.narrow.narrow import Changed
from pipedoctor.narrow.places import Gone, Lines, places, thinner, unchanged
from pipedoctor.remedy import Edit, Remedy
from pipedoctor.report.places import cell_of, file_of


def since(
    changed: Changed | None,
    found: Iterable[Found],
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
) -> Iterator[Found]:
    """Those of `found` in `after` that lie where `before` had changed; None: all."""
    if changed is None:
        yield from found
        return
    lines = {
        name: _now(numbers, before.get(name), after.get(name))
        for name, numbers in changed.files.items()
    }
    old = unchanged(lines)
    for one in found:
        left = _kept(one.finding, old)
        if left is not None:
            yield Found(one.check, left, one.line)


def _now(lines: Lines, before: bytes | None, after: bytes | None) -> Lines:
    """Where these lines are after what was edited already."""
    if lines is None or before is None or after is None or before == after:
        return lines
    return moved(lines, before, after)


def _kept(finding: Finding, old: Gone) -> Finding | None:
    left = thinner(finding, old)
    if left is None or left is finding:
        return left
    gone = [place for place in places(finding) if old(place)]
    remedies = tuple(_within(remedy, gone) for remedy in finding.remedies)
    return replace(left, remedies=remedies)


def _within(remedy: Remedy, gone: Iterable[Location]) -> Remedy:
    """Without what it would edit at the places that count no more."""
    edits = (e for e in remedy.edits if not any(_lies(e, place) for place in gone))
    return replace(remedy, edits=tuple(edits))


def _lies(edit: Edit, place: Location) -> bool:
    if (edit.path, edit.cell) != (file_of(place), cell_of(place)):
        return False
    begin, last = (place.line, place.column), place.end_line or place.line
    column = (place.end_line and place.end_column) or sys.maxsize
    end = (edit.end_line, edit.end_column)
    return begin <= (edit.line, edit.column) and end <= (last, column)
