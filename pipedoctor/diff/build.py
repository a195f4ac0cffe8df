"""From sides to a comparison: judge each, walk through their facts, weigh, fold."""

import datetime as dt
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from pipedoctor.catalogue import Catalogue
from pipedoctor.diff import answer
from pipedoctor.diff.apart import standing
from pipedoctor.diff.compare import Comparison
from pipedoctor.diff.faults import judged as compare_findings
from pipedoctor.diff.model import Diff, Difference, Folded, Gap, Party, Tally
from pipedoctor.diff.side import Side, markers, shown
from pipedoctor.diff.weigh import ranked, sorted_out
from pipedoctor.examine import Standards, judged
from pipedoctor.facts import SECTIONS, Loader
from pipedoctor.facts.world_culprits import Culprits
from pipedoctor.legible import compact
from pipedoctor.report import words
from pipedoctor.report.model import Report


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """Which sections of the facts are compared; nothing named: all."""

    select: Collection[str] = ()
    ignore: Collection[str] = ()

    def holds(self, section: str) -> bool:
        """Is this section compared?"""
        wanted = not self.select or section in self.select
        return wanted and section not in self.ignore


def compare(
    catalogue: Catalogue,
    sides: Sequence[Side],
    standards: Standards,
    *,
    scope: Scope | None = None,
) -> Diff:
    """Compare two sides or more; the redactor of `standards` learns from all."""
    began = time.monotonic()
    scope = scope or Scope()
    sides, job = with_one_job(sides)
    reports = _reports(catalogue, sides, standards)
    text = standards.redactor.text
    known = _known(sides, reports, scope, text)
    comparison = Comparison([side.partial for side in sides])
    found = list(comparison.sections(known))
    faults = compare_findings([_within(catalogue, r, scope) for r in reports])
    own, folded = sorted_out(found, _culprits(catalogue), faults.evidence)
    differences = ranked([*_rested(catalogue, faults.differences, folded), *own])
    resting = {f.field for one in differences for f in one.evidence}
    gaps = _gaps(known, reports, sides, "loader" if job else "")
    diff = Diff(
        created=dt.datetime.now(tz=dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round(time.monotonic() - began, 3),
        sides=tuple(_party(*pair, text) for pair in zip(sides, reports, strict=True)),
        answer="",
        differences=differences,
        folded=tuple(f for f in folded if f.field not in resting),
        shared=faults.shared,
        unknown=(*faults.unknown, *gaps),
        compared=comparison.compared,
        job=text(job),
        apart=standing(differences) if len(sides) > 2 else None,  # noqa: PLR2004
        summary=_tally(differences, sum(one.count for one in folded)),
    )
    return replace(diff, answer=answer.answer(diff), command=answer.command(diff))


def _known(
    sides: Sequence[Side],
    reports: Sequence[Report],
    scope: Scope,
    redact: Callable[[str], str],
) -> list[dict[str, Any]]:
    """What each side knows of the sections in scope, redacted."""
    lines = any(side.origin == "record" for side in sides)
    values = markers(sides) if lines else {}
    return [
        {
            section: facts
            for section, facts in shown(side, report, values, redact).items()
            if scope.holds(section)
        }
        for side, report in zip(sides, reports, strict=True)
    ]


def _culprits(catalogue: Catalogue) -> Culprits:
    tables = (table for table in catalogue.tables if isinstance(table, Culprits))
    return next(tables, Culprits())


def with_one_job(sides: Sequence[Side]) -> tuple[list[Side], str]:
    """
    Judge all machines with the same job, where only one of several is known.

    Else a machine that nobody has told of the job would look healthy. The second
    value names the side whose job it is; empty: nothing was lent.
    """
    jobs = {side.name: side.facts.get(Loader) for side in sides}
    known = {name: job for name, job in jobs.items() if job is not None}
    if not known or len(known) == len(sides) or len(set(map(repr, known.values()))) > 1:
        return list(sides), ""
    name, job = next(iter(known.items()))
    lent = [
        side
        if side.origin == "record" or side.facts.get(Loader) is not None
        else replace(side, facts=side.facts.plus(job), raw=_kept(side))
        for side in sides
    ]
    return lent, name if any(
        a is not b for a, b in zip(lent, sides, strict=True)
    ) else ""


def _kept(side: Side) -> Mapping[str, Any]:
    """What the side itself says, so that the lent job is not taken for its own."""
    return side.facts.to_record()["known"] if side.raw is None else side.raw


def _reports(
    catalogue: Catalogue, sides: Sequence[Side], standards: Standards
) -> list[Report]:
    """
    Judge every side; those that hold aliases already are redacted first.

    So no new alias is taken for one of theirs.
    """

    def aliased(number: int) -> bool:
        return b"<user-" in compact(sides[number].facts.to_record())

    first = sorted(range(len(sides)), key=lambda n: not aliased(n))
    done = {
        number: judged(
            catalogue,
            sides[number].facts,
            standards,
            began=time.monotonic(),
            recorded=sides[number].created or "the past",
        )
        for number in first
    }
    return [done[number] for number in range(len(sides))]


def _within(catalogue: Catalogue, report: Report, scope: Scope) -> Report:
    """The report with only those findings that rest on sections in scope."""
    if not (scope.select or scope.ignore):
        return report
    kept = tuple(
        entry
        for entry in report.findings
        if any(
            required and scope.holds(kind.section)
            for kind, required in catalogue.checks[entry.code].needs.items()
        )
    )
    return replace(report, findings=kept)


def _rested(
    catalogue: Catalogue,
    differences: Sequence[Difference],
    folded: Sequence[Folded],
) -> list[Difference]:
    """Findings with the facts beside them that they rest on."""
    return [
        replace(
            one,
            section=_section(catalogue, one.field),
            evidence=tuple(
                f for f in folded if f.because == f"evidence of {one.field}"
            ),
        )
        for one in differences
    ]


def _section(catalogue: Catalogue, code: str) -> str:
    needs = catalogue.checks[code].needs.items()
    named = (kind.section for kind, _ in needs if kind.section in SECTIONS)
    return next(named, "")


def _party(side: Side, report: Report, text: Any) -> Party:
    known = "site" in report.facts.known
    return Party(
        name=text(side.name),
        origin=side.origin,
        created=side.created,
        place=words.place(report) if known else "",
    )


def _gaps(
    known: Sequence[Mapping[str, Any]],
    reports: Sequence[Report],
    sides: Sequence[Side],
    lent: str,
) -> list[Gap]:
    """
    Sections that only some sides know, and why the others do not.

    Nobody expects more of a file of requirements than packages.
    """
    told = dict.fromkeys(section for facts in known for section in facts)
    return [
        Gap(
            what=section,
            side=number,
            reason=reports[number].facts.unknown.get(section, "not recorded"),
        )
        for section in told
        for number, side in enumerate(sides)
        if side.origin != "record" and section != lent and section not in known[number]
    ]


def _tally(differences: Sequence[Difference], folded: int) -> Tally:
    groups = [one.group for one in differences]
    counts = {group: groups.count(group) for group in set(groups)}
    return Tally(**counts, folded=folded)
