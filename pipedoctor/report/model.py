"""The report: what `check` found, as contract `pipedoctor.report/1` writes it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, cast

import msgspec

from pipedoctor import __version__
from pipedoctor.catalogue import Catalogue
from pipedoctor.check import Gain, Location, Severity, Verdict
from pipedoctor.facts import Facts
from pipedoctor.remedy import Edit, Put, Remedy
from pipedoctor.triage import Ranked

Schema = Literal["pipedoctor.report/1"]
Grade = Literal["breaks", "risks", "slows", "note"]
Sureness = Literal["certain", "likely", "possible"]
Where = Literal["here", "launcher", "code"]
HowLong = Literal["process", "boot", "always"]


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """What wrote the report."""

    name: str = "pipedoctor"
    version: str = __version__


class Cure(msgspec.Struct, frozen=True, kw_only=True):
    """A remedy as the report shows it."""

    title: str
    shell: str
    argv: tuple[str, ...]
    place: Where
    lasts: HowLong
    root: bool
    automatic: bool
    undo: tuple[str, ...] = ()
    verify: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    unsafe: str = ""
    """What `edits` may change besides; empty: nothing."""
    kept: str = ""
    """Why the code is better not changed by a program."""
    snippet: str = ""
    puts: tuple[Put, ...] = ()
    removes: tuple[str, ...] = ()


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A finding in its place."""

    rank: int
    code: str
    name: str
    severity: Grade
    title: str
    summary: str
    evidence: dict[str, Any]
    location: Location | None = None
    also_at: tuple[Location, ...] = ()
    gain: Gain | None = None
    explains: tuple[str, ...] = ()
    confidence: Sureness
    remedies: tuple[Cure, ...] = ()
    sources: tuple[str, ...] = ()
    cause: str = ""
    why: str = ""


class Skip(msgspec.Struct, frozen=True, kw_only=True):
    """A check that could not judge, and why."""

    code: str
    name: str
    reason: str
    trace: str = ""
    accepted: bool = False
    """It did judge, and what it found is a risk that the user accepts."""


class Pack(msgspec.Struct, frozen=True, kw_only=True):
    """A pack of checks, or one of its modules, that would not load."""

    pack: str
    reason: str


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """The facts that were judged, by section."""

    known: dict[str, dict[str, Any]]
    unknown: dict[str, str]


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """How many findings of each severity."""

    breaks: int = 0
    risks: int = 0
    slows: int = 0
    note: int = 0


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that `check` has to say."""

    schema: Schema = "pipedoctor.report/1"
    tool: Tool = Tool()
    created: str
    """UTC, ``2026-01-01T00:00:00Z``."""
    seconds: float
    recorded: str = ""
    """When the facts were collected, where a record was judged and not a machine."""
    facts: Known
    findings: tuple[Entry, ...] = ()
    healthy: tuple[str, ...] = ()
    skipped: tuple[Skip, ...] = ()
    summary: Counts
    broken: tuple[Pack, ...] = ()

    def worst(self) -> Severity | None:
        """The gravest severity in it."""
        return max((Severity[e.severity.upper()] for e in self.findings), default=None)

    @property
    def judged(self) -> bool:
        """Could anything be judged at all?"""
        accepted = any(skip.accepted for skip in self.skipped)
        return bool(self.findings or self.healthy or accepted)


def build(  # noqa: PLR0913  (the parts of a report)
    catalogue: Catalogue,
    facts: Facts,
    verdicts: Sequence[Verdict],
    ranked: Sequence[Ranked],
    *,
    remarks: Mapping[str, str] = MappingProxyType({}),
    created: str,
    seconds: float,
    recorded: str = "",
) -> Report:
    """
    Put the judgement into the form that every format is written from.

    `remarks` are said of the findings of the check with that code.
    """
    grades = [item.finding.severity.name.lower() for item in ranked]
    return Report(
        created=created,
        seconds=round(seconds, 3),
        recorded=recorded,
        facts=Known(**facts.to_record()),
        findings=tuple(_entry(r, remarks.get(r.check.code, "")) for r in ranked),
        healthy=tuple(v.code for v in verdicts if not v.skipped and not v.findings),
        skipped=tuple(
            Skip(
                code=v.code,
                name=catalogue.checks[v.code].name,
                reason=v.skipped,
                trace=v.trace,
                accepted=v.accepted,
            )
            for v in verdicts
            if v.skipped
        ),
        summary=Counts(**{grade: grades.count(grade) for grade in set(grades)}),
        broken=tuple(Pack(pack=b.pack, reason=b.reason) for b in catalogue.broken),
    )


def _entry(item: Ranked, remark: str) -> Entry:
    check, finding = item.check, item.finding
    return Entry(
        rank=item.rank,
        code=check.code,
        name=check.name,
        severity=cast("Grade", finding.severity.name.lower()),
        title=check.title,
        summary=finding.summary,
        evidence=dict(finding.evidence),
        location=finding.location,
        also_at=finding.also_at,
        gain=finding.gain,
        explains=item.explains,
        confidence=cast("Sureness", finding.confidence.name.lower()),
        remedies=tuple(map(cure, finding.remedies)),
        sources=check.sources,
        cause=item.cause,
        why=f"{item.why}; {remark}" if remark else item.why,
    )


def cure(remedy: Remedy) -> Cure:
    """Write a remedy out."""
    return Cure(
        title=remedy.title,
        shell=remedy.shell,
        argv=remedy.argv,
        place=cast("Where", remedy.place.name.lower()),
        lasts=cast("HowLong", remedy.lasts.name.lower()),
        root=remedy.root,
        automatic=remedy.automatic,
        undo=remedy.undo,
        verify=remedy.verify,
        edits=remedy.edits,
        unsafe=remedy.unsafe,
        kept=remedy.kept,
        snippet=remedy.snippet,
        puts=remedy.puts,
        removes=remedy.removes,
    )
