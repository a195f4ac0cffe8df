"""Filter findings by their places."""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from pipedoctor.check import Finding, Location, Verdict
from pipedoctor.check.places import get_file_path

PlaceFilter = Callable[[Location], bool]
LineNumbers = frozenset[int] | None
"""Numbers of lines; None: all there are."""


def make_unchanged_filter(lines: Mapping[str, LineNumbers]) -> PlaceFilter:
    """Does a place lie on none of these lines, given by file as it is shown?"""

    def is_unchanged(place: Location) -> bool:
        numbers = lines.get(get_file_path(place), frozenset())
        if numbers is None or (numbers and get_file_path(place) != place.path):
            return False  # lines of a notebook's file are not those of its cells
        last = place.end_line or place.line
        return not any(place.line <= number <= last for number in numbers)

    return is_unchanged


def drop_places(verdict: Verdict, is_dropped: PlaceFilter, why: str) -> Verdict:
    """
    Remove the places for which `is_dropped` holds, and findings without a remaining place.

    A check whose findings were all removed is neither healthy nor ill: it is skipped,
    with `why`. Findings without any place stay.
    """
    reduced = (drop_finding_places(finding, is_dropped) for finding in verdict.findings)
    left = [finding for finding in reduced if finding is not None]
    lost = len(verdict.findings) - len(left)
    if lost and not left:
        number = f"{lost} findings" if lost > 1 else "1 finding"
        return Verdict(verdict.code, skipped=f"{why}: {number}", accepted=True)
    return replace(verdict, findings=tuple(left))


def list_locations(finding: Finding) -> list[Location]:
    """Where it is, and where else."""
    return [*([finding.location] if finding.location else []), *finding.also_at]


def drop_finding_places(finding: Finding, is_dropped: PlaceFilter) -> Finding | None:
    """The finding at its remaining places; None: none remains."""
    dropped = {place for place in list_locations(finding) if is_dropped(place)}
    return leave_out_places(finding, dropped)


def leave_out_places(finding: Finding, dropped: AbstractSet[Location]) -> Finding | None:
    """The finding without these places and what is one thing with them; None: none remains."""
    if not dropped:
        return finding
    whole = {place for pair in finding.together if not dropped.isdisjoint(pair) for place in pair}
    left = [place for place in list_locations(finding) if place not in dropped | whole]
    return replace(finding, location=left[0], also_at=tuple(left[1:])) if left else None
