"""One summary a check, where there are too many findings to read one by one."""

from collections.abc import Iterator

import msgspec

from pipedoctor.report import fixable
from pipedoctor.report.model import Report, ReportedFinding
from pipedoctor.report.sentences import clean_text, format_location

MAX_SINGLE = 20
"""Findings that are shown one by one."""
_MAX_PLACES = 6


class RuleSummary(msgspec.Struct, frozen=True):
    """The findings of one check, by the first of them."""

    lead: ReportedFinding
    mark: str = ""
    """``[fix]``, where it is to be applied to one of them."""
    others: tuple[ReportedFinding, ...] = ()

    @property
    def count(self) -> int:
        """How many findings the check has."""
        return 1 + len(self.others)

    def describe_others(self) -> str:
        """``and 12 more of num-workers-zero: a.py:3, b.py:9 ... (-v shows each)``."""
        places = [where for one in self.others if (where := format_location(one))]
        shown = ", ".join(places[:_MAX_PLACES])
        more = " ..." if len(places) > _MAX_PLACES else ""
        at = f": {shown}{more}" if shown else ""
        return f"and {len(self.others)} more of {clean_text(self.lead.name)}{at} (-v shows each)"


def summarize_rules(report: Report, *, every: bool) -> Iterator[RuleSummary]:
    """Each finding for itself; beyond `MAX_SINGLE` of them one summary a check."""
    if every or len(report.findings) <= MAX_SINGLE:
        yield from map(RuleSummary, report.findings)
    else:
        yield from count_rules(report)


def count_rules(report: Report) -> Iterator[RuleSummary]:
    """One summary a check, in the order of their first findings."""
    rules: dict[str, list[ReportedFinding]] = {}
    for entry in report.findings:
        rules.setdefault(entry.code, []).append(entry)
    for lead, *others in rules.values():
        marks = (fixable.mark_finding(report, entry) for entry in (lead, *others))
        mark = min(filter(None, marks), key=len, default="")
        yield RuleSummary(lead, mark, tuple(others))
