"""Say once what the same change mends in several files."""

from collections.abc import Hashable, Sequence

import msgspec
from msgspec.structs import replace

from pipedoctor.check import Finding, Remedy
from pipedoctor.check.places import get_file_path


def identify_change(finding: Finding) -> Hashable:
    """What would be changed, whatever the place and its names: equal for one change."""
    remedies = tuple((r.title, r.unsafe, r.kept) for r in finding.remedies)
    return remedies, finding.confidence, finding.counterfactual, finding.gain


def identify_advice(finding: Finding) -> Hashable:
    """What is advised, whether or not an edit is offered for it."""
    titles = tuple(remedy.title for remedy in finding.remedies)
    return titles, finding.confidence, finding.counterfactual, finding.gain


def offers_edits(finding: Finding) -> bool:
    """Is there an edit for any of its remedies?"""
    return any(remedy.edits for remedy in finding.remedies)


def identify_copy(finding: Finding) -> Hashable:
    """The same, with all that is said of the code: equal for code that was copied."""
    evidence = msgspec.json.encode(finding.evidence, order="deterministic")
    return identify_change(finding), finding.severity, finding.summary, evidence


def merge_alike(findings: Sequence[Finding]) -> Finding:
    """
    The first of these findings, at the places of all of them.

    Their remedies must be the same change (`identify_change`); its edits are those of all.
    """
    first, *others = findings
    if not others:
        return first
    places = [place for one in findings for place in (one.location, *one.also_at) if place]
    location, *more = dict.fromkeys(places)
    return replace(
        first,
        summary=f"{first.summary}; {_describe_others(findings)}",
        location=location,
        also_at=tuple(more),
        together=tuple(pair for one in findings for pair in one.together),
        remedies=tuple(map(_join_edits, zip(*(one.remedies for one in findings), strict=True))),
    )


def _describe_others(findings: Sequence[Finding]) -> str:
    """``the same at 3 more places, in 2 other files``."""
    first, *others = [{get_file_path(p) for p in (f.location, *f.also_at) if p} for f in findings]
    count = len(others)
    files = len(set[str]().union(*others) - first)
    where = f", in {files} other file{'s' if files > 1 else ''}" if files else ""
    return f"the same at {count} more place{'s' if count > 1 else ''}{where}"


def _join_edits(remedies: Sequence[Remedy]) -> Remedy:
    edits = dict.fromkeys(edit for one in remedies for edit in one.edits)
    offered = next((one for one in remedies if one.edits), remedies[0])
    return replace(offered, edits=tuple(edits))
