"""Leave findings out by the places that they name."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from pipedoctor.check import Finding, Location, Verdict
from pipedoctor.report.places import file_of

Gone = Callable[[Location], bool]
Lines = frozenset[int] | None
"""Numbers of lines; None: all there are."""


def unchanged(lines: Mapping[str, Lines]) -> Gone:
    """Does a place lie on none of these lines, given by file as it is shown?"""

    def old(place: Location) -> bool:
        numbers = lines.get(file_of(place), frozenset())
        if numbers is None or (numbers and file_of(place) != place.path):
            return False  # lines of a notebook's file are not those of its cells
        last = place.end_line or place.line
        return not any(place.line <= number <= last for number in numbers)

    return old


def thin(verdict: Verdict, gone: Gone, why: str) -> Verdict:
    """
    Leave out the places that are `gone`, and findings of which none is left.

    A check all of whose findings went did judge, and is neither healthy nor ill: it is
    skipped, with `why`. Findings that name no place stay.
    """
    left = [kept for finding in verdict.findings if (kept := thinner(finding, gone))]
    lost = len(verdict.findings) - len(left)
    if lost and not left:
        number = f"{lost} findings" if lost > 1 else "1 finding"
        return Verdict(verdict.code, skipped=f"{why}: {number}", accepted=True)
    return replace(verdict, findings=tuple(left))


def places(finding: Finding) -> list[Location]:
    """Where it is, and where else."""
    return [*([finding.location] if finding.location else []), *finding.also_at]


def thinner(finding: Finding, gone: Gone) -> Finding | None:
    """The finding at the places that are not `gone`; None: there is none left."""
    named = places(finding)
    left = [place for place in named if not gone(place)]
    if len(left) == len(named):
        return finding
    if not left:
        return None
    return replace(finding, location=left[0], also_at=tuple(left[1:]))
