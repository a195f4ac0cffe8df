"""Findings on changed lines alone, and of their edits those that stay there."""

import sys
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from pipedoctor.check import Edit, Finding, Location, Remedy
from pipedoctor.check.places import get_cell_number, get_file_path
from pipedoctor.collect.code.changed_lines import map_lines
from pipedoctor.fix.code.judged_source import CodeFinding
from pipedoctor.suppress.places import (
    LineNumbers,
    PlaceFilter,
    drop_finding_places,
    list_locations,
    make_unchanged_filter,
)
from pipedoctor.suppress.suppress import ChangedLines


def filter_changed(
    changed_lines: ChangedLines | None,
    findings: Iterable[CodeFinding],
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
) -> Iterator[CodeFinding]:
    """Those of `findings` in `after` that lie where `before` had changed; None: all."""
    if changed_lines is None:
        yield from findings
        return
    lines = {
        name: _shift_lines(numbers, before.get(name), after.get(name))
        for name, numbers in changed_lines.files.items()
    }
    old = make_unchanged_filter(lines)
    for one in findings:
        left = _drop_unchanged(one.finding, old)
        if left is not None:
            yield CodeFinding(one.check, left, one.line)


def find_user_place(
    finding: CodeFinding, before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> str:
    """``train.py:12``: where a finding in `after` stands in the files of the user."""
    spot = finding.finding.location
    if spot is None or get_cell_number(spot) or spot.path not in after:
        return finding.place
    lines = _shift_lines(frozenset({spot.line}), after.get(spot.path), before.get(spot.path))
    return f"{spot.path}:{min(lines)}" if lines else finding.place


def _shift_lines(lines: LineNumbers, before: bytes | None, after: bytes | None) -> LineNumbers:
    """Where these lines are after what was edited already."""
    if lines is None or before is None or after is None or before == after:
        return lines
    return map_lines(lines, before, after)


def _drop_unchanged(finding: Finding, old: PlaceFilter) -> Finding | None:
    left = drop_finding_places(finding, old)
    if left is None or left is finding:
        return left
    gone = [place for place in list_locations(finding) if old(place)]
    remedies = tuple(_drop_edits(remedy, gone) for remedy in finding.remedies)
    return replace(left, remedies=remedies)


def _drop_edits(remedy: Remedy, locations: Iterable[Location]) -> Remedy:
    """Without what it would edit at the places that count no more."""
    edits = (e for e in remedy.edits if not any(_is_edit_inside(e, place) for place in locations))
    return replace(remedy, edits=tuple(edits))


def _is_edit_inside(edit: Edit, place: Location) -> bool:
    if (edit.path, edit.cell) != (get_file_path(place), get_cell_number(place)):
        return False
    begin, last = (place.line, place.column), place.end_line or place.line
    column = (place.end_line and place.end_column) or sys.maxsize
    end = (edit.end_line, edit.end_column)
    return begin <= (edit.line, edit.column) and end <= (last, column)
