"""Findings that some sides have and others have not: what checks make of it all."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from pipedoctor.check import Confidence, Severity
from pipedoctor.diff.alike import plain
from pipedoctor.diff.apart import apart
from pipedoctor.diff.model import Difference, Fault, Gap, Value
from pipedoctor.diff.unknown import MISSING, UNKNOWN
from pipedoctor.report.model import Entry, Report

_NUMBER = re.compile(r"\d[\d.]*")


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What comparing findings has shown."""

    differences: tuple[Difference, ...]
    """Without rank, gravest first."""
    shared: tuple[str, ...]
    unknown: tuple[Gap, ...]
    evidence: Mapping[str, tuple[str, ...]]
    """By code: names of the facts that its findings rest on."""


def judged(reports: Sequence[Report]) -> Judged:
    """Compare the findings of all sides, check by check."""
    found: list[Difference] = []
    shared: list[str] = []
    gaps: list[Gap] = []
    evidence: dict[str, tuple[str, ...]] = {}
    for code in dict.fromkeys(e.code for r in reports for e in r.findings):
        for entries in _matched(code, reports):
            lead = _gravest(entries)
            known = [
                e is not None or _well(code, r) for e, r in _pairs(entries, reports)
            ]
            graver = {e.severity for e in entries if e is not None}
            lacking = sum(k and e is None for k, e in zip(known, entries, strict=True))
            if lacking or len(graver) > 1:
                found.append(_difference(lead, entries, reports, known))
                evidence[code] = evidence.get(code, ()) + tuple(lead.evidence)
            elif all(known):
                shared.append(lead.name)
            gaps += [
                Gap(what=lead.name, side=number, reason=_why(code, report))
                for number, report in enumerate(reports)
                if not known[number] and report.facts.known
            ]
    found.sort(key=_order)
    return Judged(
        differences=tuple(found),
        shared=tuple(dict.fromkeys(shared)),
        unknown=tuple(dict.fromkeys(gaps)),
        evidence=evidence,
    )


def _pairs(
    entries: Sequence[Entry | None], reports: Sequence[Report]
) -> Iterator[tuple[Entry | None, Report]]:
    return zip(entries, reports, strict=True)


def _matched(
    code: str, reports: Sequence[Report]
) -> Iterator[tuple[Entry | None, ...]]:
    """Findings of one check that are about the same thing on all sides."""
    mine = [[e for e in report.findings if e.code == code] for report in reports]
    several = max(map(len, mine)) > 1
    sides = [
        _named(es) if several else dict[str, Entry](zip(("",), es, strict=False))
        for es in mine
    ]
    for about in dict.fromkeys(about for side in sides for about in side):
        yield tuple(side.get(about) for side in sides)


def _named(entries: Sequence[Entry]) -> dict[str, Entry]:
    """Findings by what they are about; those about the same thing are numbered."""
    found: dict[str, Entry] = {}
    count = Counter[str]()
    for entry in entries:
        about = _about(entry)
        count[about] += 1
        found[f"{about} #{count[about]}"] = entry
    return found


def _about(entry: Entry) -> str:
    """
    What tells several findings of a check apart: the file, and what is named.

    No numbers: a line that was added above moves all those below it.
    """
    path = entry.location.path if entry.location else ""
    return plain(f"{path} {_NUMBER.sub('#', entry.summary)}")


def _gravest(entries: Sequence[Entry | None]) -> Entry:
    there = [entry for entry in entries if entry is not None]
    return max(there, key=lambda e: (Severity[e.severity.upper()], -e.rank))


def _well(code: str, report: Report) -> bool:
    return code in report.healthy or any(e.code == code for e in report.findings)


def _why(code: str, report: Report) -> str:
    skipped = (skip.reason for skip in report.skipped if skip.code == code)
    return next(skipped, "not judged")


def _difference(
    lead: Entry,
    entries: Sequence[Entry | None],
    reports: Sequence[Report],
    known: Sequence[bool],
) -> Difference:
    fault = Fault(
        code=lead.code,
        name=lead.name,
        severity=lead.severity,
        confidence=lead.confidence,
        title=lead.title,
        summary=lead.summary,
        location=lead.location,
        cause=lead.cause,
        remedies=lead.remedies,
        sources=lead.sources,
    )
    values = tuple(
        _value(entry, lead.code, report, there)
        for (entry, report), there in zip(_pairs(entries, reports), known, strict=True)
    )
    return Difference(
        group="judged",
        field=lead.code,
        title=lead.name,
        values=values,
        apart=apart([_standing(value) for value in values]),
        why=lead.why,
        finding=fault,
    )


def _standing(value: Value) -> object:
    """The severity of a finding, or which kind of nothing there is."""
    if value.state == "known":
        return value.value
    return MISSING if value.state == "missing" else UNKNOWN


def _value(entry: Entry | None, code: str, report: Report, known: bool) -> Value:
    if entry is not None:
        return Value(state="known", value=entry.severity, shown=entry.summary)
    if known:
        return Value(state="missing", shown="healthy")
    return Value(state="unknown", shown=f"not judged: {_why(code, report)}")


def _order(difference: Difference) -> tuple[int, bool, int, str]:
    """Gravest first; what another finding explains after it."""
    fault = difference.finding
    assert fault is not None  # noqa: S101  (see judged)
    sure = Confidence[fault.confidence.upper()]
    return (-Severity[fault.severity.upper()], bool(fault.cause), -sure, fault.code)
