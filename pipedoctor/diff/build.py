"""From sides to a comparison: judge each, walk through their facts, weigh, fold."""

import datetime as dt
import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from pipedoctor.diff import headline
from pipedoctor.diff.compare import FactComparison
from pipedoctor.diff.finding_differences import compare_findings
from pipedoctor.diff.majority import find_outlier_side
from pipedoctor.diff.model import (
    ComparedSide,
    Diff,
    Difference,
    DifferenceCounts,
    FoldedDifference,
    UnknownItem,
)
from pipedoctor.diff.ranking import rank_differences, split_differences
from pipedoctor.diff.side import DiffSide, find_markers, select_known_facts
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.facts import SECTIONS, Loader
from pipedoctor.facts.world_culprits import Culprits
from pipedoctor.pipeline import CheckPolicy, judge_facts
from pipedoctor.report import sentences
from pipedoctor.report.model import Report
from pipedoctor.textsafe import encode_json


class DiffScope(msgspec.Struct, frozen=True, kw_only=True):
    """Which sections of the facts are compared; nothing named: all."""

    select: Collection[str] = ()
    ignore: Collection[str] = ()

    def includes(self, section: str) -> bool:
        """Is this section compared?"""
        is_selected = not self.select or section in self.select
        return is_selected and section not in self.ignore


def compare_sides(
    catalogue: Catalogue,
    sides: Sequence[DiffSide],
    standards: CheckPolicy,
    *,
    scope: DiffScope | None = None,
    until: float = math.inf,
) -> Diff:
    """
    Compare two sides or more; the redactor of `standards` learns from all.

    They are judged until then, on the monotonic clock.
    """
    began = time.monotonic()
    scope = scope or DiffScope()
    sides, job = share_loader(sides)
    reports = _judge_sides(catalogue, sides, standards, until)
    text = standards.redactor.redact_text
    facts = _collect_facts(sides, reports, scope, text)
    comparison = FactComparison([side.is_partial for side in sides])
    found = list(comparison.compare_sections(facts))
    faults = compare_findings([_limit_to_scope(catalogue, r, scope) for r in reports])
    own, folded = split_differences(found, _find_culprits(catalogue), faults.evidence)
    differences = rank_differences([*_attach_evidence(catalogue, faults.differences, folded), *own])
    resting = {f.field for one in differences for f in one.evidence}
    gaps = _find_gaps(facts, reports, sides, "loader" if job else "")
    diff = Diff(
        created=dt.datetime.now(tz=dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round(time.monotonic() - began, 3),
        sides=tuple(_describe_side(*pair, text) for pair in zip(sides, reports, strict=True)),
        answer="",
        differences=differences,
        folded=tuple(f for f in folded if f.field not in resting),
        shared=faults.shared,
        unknown=(*faults.unknown, *gaps),
        compared=comparison.compared,
        job=text(job),
        apart=find_outlier_side(differences) if len(sides) > 2 else None,  # noqa: PLR2004
        summary=_count_groups(differences, sum(one.count for one in folded)),
    )
    return replace(diff, answer=headline.write_answer(diff), command=headline.find_command(diff))


def _collect_facts(
    sides: Sequence[DiffSide],
    reports: Sequence[Report],
    scope: DiffScope,
    redact: Callable[[str], str],
) -> list[dict[str, Any]]:
    """What each side knows of the sections in scope, redacted."""
    lines = any(side.origin == "record" for side in sides)
    values = find_markers(sides) if lines else {}
    return [
        {
            section: facts
            for section, facts in select_known_facts(side, report, values, redact).items()
            if scope.includes(section)
        }
        for side, report in zip(sides, reports, strict=True)
    ]


def _find_culprits(catalogue: Catalogue) -> Culprits:
    tables = (table for table in catalogue.tables if isinstance(table, Culprits))
    return next(tables, Culprits())


def share_loader(sides: Sequence[DiffSide]) -> tuple[list[DiffSide], str]:
    """
    Judge all machines with the same DataLoader, where only one of several is known.

    Else a machine that nobody has told of the job would look healthy. The second
    value names the side whose job it is; empty: nothing was lent.
    """
    jobs = {side.name: side.facts.get(Loader) for side in sides}
    described_jobs = {name: job for name, job in jobs.items() if job is not None}
    if (
        not described_jobs
        or len(described_jobs) == len(sides)
        or len(set(map(repr, described_jobs.values()))) > 1
    ):
        return list(sides), ""
    name, job = next(iter(described_jobs.items()))
    lent = [
        side
        if side.origin == "record" or side.facts.get(Loader) is not None
        else replace(side, facts=side.facts.merge(job), raw=_read_own_facts(side))
        for side in sides
    ]
    return lent, name if any(a is not b for a, b in zip(lent, sides, strict=True)) else ""


def _read_own_facts(side: DiffSide) -> Mapping[str, Any]:
    """What the side itself says, so that the lent job is not taken for its own."""
    return side.facts.to_record()["known"] if side.raw is None else side.raw


def _judge_sides(
    catalogue: Catalogue, sides: Sequence[DiffSide], standards: CheckPolicy, until: float
) -> list[Report]:
    """
    Judge every side; those that hold aliases already are redacted first.

    So no new alias is taken for one of theirs.
    """

    def has_aliases(number: int) -> bool:
        return b"<user-" in encode_json(sides[number].facts.to_record())

    first = sorted(range(len(sides)), key=lambda n: not has_aliases(n))
    done = {
        number: judge_facts(
            catalogue,
            sides[number].facts,
            standards,
            began=time.monotonic(),
            until=until,
            recorded=sides[number].created or "the past",
        )
        for number in first
    }
    return [done[number] for number in range(len(sides))]


def _limit_to_scope(catalogue: Catalogue, report: Report, scope: DiffScope) -> Report:
    """The report with only those findings that rest on sections in scope."""
    if not (scope.select or scope.ignore):
        return report
    visible = tuple(
        entry
        for entry in report.findings
        if any(
            required and scope.includes(kind.section)
            for kind, required in catalogue.checks[entry.code].needs.items()
        )
    )
    return replace(report, findings=visible)


def _attach_evidence(
    catalogue: Catalogue,
    differences: Sequence[Difference],
    groups: Sequence[FoldedDifference],
) -> list[Difference]:
    """Findings with the facts beside them that they rest on."""
    return [
        replace(
            one,
            section=_find_section(catalogue, one.field),
            evidence=tuple(f for f in groups if f.because == f"evidence of {one.field}"),
        )
        for one in differences
    ]


def _find_section(catalogue: Catalogue, code: str) -> str:
    needs = catalogue.checks[code].needs.items()
    named = (kind.section for kind, _ in needs if kind.section in SECTIONS)
    return next(named, "")


def _describe_side(side: DiffSide, report: Report, text: Any) -> ComparedSide:
    has_site = "site" in report.facts.known
    return ComparedSide(
        name=text(side.name),
        origin=side.origin,
        created=side.created,
        place=sentences.describe_place(report) if has_site else "",
    )


def _find_gaps(
    facts_by_side: Sequence[Mapping[str, Any]],
    reports: Sequence[Report],
    sides: Sequence[DiffSide],
    lent: str,
) -> list[UnknownItem]:
    """
    Sections that only some sides know, and why the others do not.

    Nobody expects more of a file of requirements than packages.
    """
    sections = dict.fromkeys(section for facts in facts_by_side for section in facts)
    return [
        UnknownItem(
            what=section,
            side=number,
            reason=reports[number].facts.unknown.get(section, "not recorded"),
        )
        for section in sections
        for number, side in enumerate(sides)
        if side.origin != "record" and section != lent and section not in facts_by_side[number]
    ]


def _count_groups(differences: Sequence[Difference], group_count: int) -> DifferenceCounts:
    groups = [one.group for one in differences]
    counts = {group: groups.count(group) for group in set(groups)}
    return DifferenceCounts(**counts, folded=group_count)
