"""Comments in code that silence findings: ``# pipedoctor: ignore[name]``."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from pipedoctor.check import Finding, Location, Verdict
from pipedoctor.check.places import join_cell
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.engine.runner import CheckFilter
from pipedoctor.facts import Facts, Source
from pipedoctor.facts.silenced import Silenced
from pipedoctor.facts.source import Ignore
from pipedoctor.suppress.places import leave_out_places, list_locations

UNUSED_IGNORE_CODE = "PDR690"
"""The check that reports comments without effect."""


def apply_comments(
    catalogue: Catalogue, facts: Facts, verdicts: Sequence[Verdict]
) -> tuple[list[Verdict], tuple[Ignore, ...]]:
    """Leave out what comments silence, and name those that silence nothing."""
    source = facts.get(Source)
    if source is None:
        return list(verdicts), ()
    used: set[int] = set()
    quiet = [_silence_verdict(catalogue, source, verdict, used) for verdict in verdicts]
    judged = {verdict.code for verdict in verdicts if not verdict.skipped}
    unused = tuple(
        ignore
        for number, ignore in enumerate(source.ignores)
        if number not in used and _was_judged(catalogue, ignore, judged)
    )
    return quiet, unused


def report_unused(
    catalogue: Catalogue,
    facts: Facts,
    verdicts: Sequence[Verdict],
    silenced: Silenced,
    check_filter: CheckFilter,
) -> list[Verdict]:
    """Judge what silences, once it is known what it silenced."""
    check = catalogue.checks.get(UNUSED_IGNORE_CODE)
    if check is None or not check_filter(check) or facts.get(Source) is None:
        return list(verdicts)
    last = check.run(facts.merge(silenced))
    return [last if verdict.code == UNUSED_IGNORE_CODE else verdict for verdict in verdicts]


def _was_judged(catalogue: Catalogue, ignore: Ignore, codes: set[str]) -> bool:
    """Nobody can say that a comment is unused when its check did not run."""
    checks = [catalogue.find_check(name) for name in ignore.names]
    return all(check is None or check.code in codes for check in checks)


def _silence_verdict(
    catalogue: Catalogue, source: Source, verdict: Verdict, used_comments: set[int]
) -> Verdict:
    findings: list[Finding] = []
    for finding in verdict.findings:
        places = list_locations(finding)
        silenced = {
            one for one in places if _is_silenced(catalogue, source, verdict, one, used_comments)
        }
        left = leave_out_places(finding, silenced)
        findings += [] if left is None else [left]
    return replace(verdict, findings=tuple(findings))


def _is_silenced(
    catalogue: Catalogue,
    source: Source,
    verdict: Verdict,
    place: Location,
    used_comments: set[int],
) -> bool:
    """Does a comment stand on a line of this place, and name this check?"""
    hit = False
    for number, ignore in enumerate(source.ignores):
        at = ignore.at
        path = join_cell(at.path, at.cell)
        lines = range(place.line, (place.end_line or place.line) + 1)
        if (
            path == place.path
            and at.line in lines
            and _names_check(catalogue, ignore.names, verdict.code)
        ):
            used_comments.add(number)
            hit = True
    return hit


def _names_check(catalogue: Catalogue, names: Iterable[str], code: str) -> bool:
    checks = [catalogue.find_check(name) for name in names]
    return not checks or any(check is not None and check.code == code for check in checks)
