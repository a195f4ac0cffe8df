"""Findings that some sides have and others have not: what checks make of it all."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from pipedoctor.check import Confidence, Severity
from pipedoctor.diff.absent import MISSING, UNKNOWN
from pipedoctor.diff.equality import replace_names
from pipedoctor.diff.majority import find_outliers
from pipedoctor.diff.model import Difference, DifferingFinding, SideValue, UnknownItem
from pipedoctor.report.model import Report, ReportedFinding

_NUMBER = re.compile(r"\d[\d.]*")


class FindingComparison(msgspec.Struct, frozen=True, kw_only=True):
    """What comparing findings has shown."""

    differences: tuple[Difference, ...]
    """Without rank, gravest first."""
    shared: tuple[str, ...]
    unknown: tuple[UnknownItem, ...]
    evidence: Mapping[str, tuple[str, ...]]
    """By code: names of the facts that its findings rest on."""


def compare_findings(reports: Sequence[Report]) -> FindingComparison:
    """Compare the findings of all sides, check by check."""
    differences: list[Difference] = []
    shared: list[str] = []
    gaps: list[UnknownItem] = []
    evidence: dict[str, tuple[str, ...]] = {}
    for code in dict.fromkeys(e.code for r in reports for e in r.findings):
        for entries in _match_findings(code, reports):
            lead = _find_gravest(entries)
            known = [
                e is not None or _is_judged(code, r) for e, r in _pair_reports(entries, reports)
            ]
            graver = {e.severity for e in entries if e is not None}
            lacking = sum(k and e is None for k, e in zip(known, entries, strict=True))
            if lacking or len(graver) > 1 or _is_ill_alone(lead, known, reports):
                differences.append(_build_difference(lead, entries, reports, known))
                evidence[code] = evidence.get(code, ()) + tuple(lead.evidence)
            elif all(known):
                shared.append(lead.name)
            gaps += [
                UnknownItem(what=lead.name, side=number, reason=_find_skip_reason(code, report))
                for number, report in enumerate(reports)
                if not known[number] and report.facts.known
            ]
    differences.sort(key=_make_sort_key(reports))
    return FindingComparison(
        differences=tuple(differences),
        shared=tuple(dict.fromkeys(shared)),
        unknown=tuple(dict.fromkeys(gaps)),
        evidence=evidence,
    )


def _is_ill_alone(
    lead: ReportedFinding, is_known: Sequence[bool], reports: Sequence[Report]
) -> bool:
    """
    Is it a fault of a side while another machine has nothing to judge?

    A machine without a GPU cannot have its driver's fault. What is only a note, or
    compared with a file of packages, is no difference.
    """
    blind = any(not k and "site" in r.facts.known for k, r in zip(is_known, reports, strict=True))
    return blind and lead.severity != "note"


def _pair_reports(
    entries: Sequence[ReportedFinding | None], reports: Sequence[Report]
) -> Iterator[tuple[ReportedFinding | None, Report]]:
    return zip(entries, reports, strict=True)


def _match_findings(
    code: str, reports: Sequence[Report]
) -> Iterator[tuple[ReportedFinding | None, ...]]:
    """Findings of one check that are about the same thing on all sides."""
    mine = [[e for e in report.findings if e.code == code] for report in reports]
    several = max(map(len, mine)) > 1
    sides = [
        _name_findings(es) if several else dict[str, ReportedFinding](zip(("",), es, strict=False))
        for es in mine
    ]
    for about in dict.fromkeys(about for side in sides for about in side):
        yield tuple(side.get(about) for side in sides)


def _name_findings(entries: Sequence[ReportedFinding]) -> dict[str, ReportedFinding]:
    """Findings by what they are about; those about the same thing are numbered."""
    findings: dict[str, ReportedFinding] = {}
    count = Counter[str]()
    for entry in entries:
        about = _identify_subject(entry)
        count[about] += 1
        findings[f"{about} #{count[about]}"] = entry
    return findings


def _identify_subject(entry: ReportedFinding) -> str:
    """
    What tells several findings of a check apart: the file, and what the summary names.

    No numbers: a line that was added above moves all those below it.
    """
    path = entry.location.path if entry.location else ""
    return replace_names(f"{path} {_NUMBER.sub('#', entry.summary)}")


def _find_gravest(entries: Sequence[ReportedFinding | None]) -> ReportedFinding:
    present = [entry for entry in entries if entry is not None]
    return max(present, key=lambda e: (Severity[e.severity.upper()], -e.rank))


def _is_judged(code: str, report: Report) -> bool:
    return code in report.healthy or any(e.code == code for e in report.findings)


def _find_skip_reason(code: str, report: Report) -> str:
    skipped = (skip.reason for skip in report.skipped if skip.code == code)
    return next(skipped, "not judged")


def _build_difference(
    lead: ReportedFinding,
    entries: Sequence[ReportedFinding | None],
    reports: Sequence[Report],
    is_known: Sequence[bool],
) -> Difference:
    fault = DifferingFinding(
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
        _build_value(entry, lead.code, report, there)
        for (entry, report), there in zip(_pair_reports(entries, reports), is_known, strict=True)
    )
    return Difference(
        group="judged",
        field=lead.code,
        title=lead.name,
        values=values,
        apart=find_outliers([_to_majority_value(value) for value in values]),
        why=lead.why,
        finding=fault,
    )


def _to_majority_value(value: SideValue) -> object:
    """The severity of a finding, or which kind of nothing there is."""
    if value.state == "known":
        return value.value
    return MISSING if value.state == "missing" else UNKNOWN


def _build_value(
    entry: ReportedFinding | None, code: str, report: Report, known: bool
) -> SideValue:
    if entry is not None:
        return SideValue(state="known", value=entry.severity, shown=entry.summary)
    if known:
        return SideValue(state="missing", shown="healthy")
    return SideValue(state="unknown", shown=f"not judged: {_find_skip_reason(code, report)}")


def _make_sort_key(
    reports: Sequence[Report],
) -> Callable[[Difference], tuple[int, bool, int, int, str]]:
    """Gravest first, each side in the order in which `check` ranks its findings."""
    ranks: dict[tuple[str, str], int] = {}
    worst: dict[str, Severity] = {}
    for report in reports:
        for entry in report.findings:
            key = (entry.code, entry.summary)
            ranks[key] = min(entry.rank, ranks.get(key, entry.rank))
            cause = entry.cause or entry.code
            worst[cause] = max(worst.get(cause, Severity.NOTE), Severity[entry.severity.upper()])

    def sort_key(difference: Difference) -> tuple[int, bool, int, int, str]:
        fault = difference.finding
        assert fault is not None  # noqa: S101  (see compare_findings)
        sure = Confidence[fault.confidence.upper()]
        rank = ranks[fault.code, fault.summary]
        return (-worst[fault.cause or fault.code], bool(fault.cause), rank, -sure, fault.code)

    return sort_key
