"""The report: what `check` found, as contract `pipedoctor.report/1` writes it."""

from collections.abc import Sequence
from typing import Any

import msgspec

from pipedoctor import __version__
from pipedoctor.catalogue import Catalogue
from pipedoctor.check import Gain, Location, Severity, Verdict
from pipedoctor.facts import Facts
from pipedoctor.remedy import Remedy
from pipedoctor.triage import Ranked

SCHEMA = "pipedoctor.report/1"


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """What wrote the report."""

    name: str = "pipedoctor"
    version: str = __version__


class Cure(msgspec.Struct, frozen=True, kw_only=True):
    """A remedy as the report shows it."""

    title: str
    shell: str
    argv: tuple[str, ...]
    place: str
    lasts: str
    root: bool
    automatic: bool
    undo: tuple[str, ...] = ()
    verify: tuple[str, ...] = ()
    edits: tuple[dict[str, Any], ...] = ()
    snippet: str = ""
    puts: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A finding in its place."""

    rank: int
    code: str
    name: str
    severity: str
    title: str
    summary: str
    evidence: dict[str, Any]
    location: Location | None = None
    also_at: tuple[Location, ...] = ()
    gain: Gain | None = None
    explains: tuple[str, ...] = ()
    confidence: str
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


class Pack(msgspec.Struct, frozen=True, kw_only=True):
    """A pack of checks, or one of its modules, that would not load."""

    pack: str
    reason: str


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """The facts that were judged, by section."""

    known: dict[str, dict[str, Any]]
    unknown: dict[str, str]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that `check` has to say."""

    schema: str = SCHEMA
    tool: Tool = Tool()
    created: str
    """UTC, ``2026-01-01T00:00:00Z``."""
    seconds: float
    facts: Known
    findings: tuple[Entry, ...] = ()
    healthy: tuple[str, ...] = ()
    skipped: tuple[Skip, ...] = ()
    summary: dict[str, int]
    broken: tuple[Pack, ...] = ()

    def worst(self) -> Severity | None:
        """The gravest severity in it."""
        return max((Severity[e.severity.upper()] for e in self.findings), default=None)


def build(
    catalogue: Catalogue,
    facts: Facts,
    verdicts: Sequence[Verdict],
    ranked: Sequence[Ranked],
    *,
    created: str,
    seconds: float,
) -> Report:
    """Put the judgement into the form that every format is written from."""
    counts: dict[str, int] = {s.name.lower(): 0 for s in reversed(Severity)}
    for item in ranked:
        counts[item.finding.severity.name.lower()] += 1
    return Report(
        created=created,
        seconds=round(seconds, 3),
        facts=Known(**facts.to_record()),
        findings=tuple(map(_entry, ranked)),
        healthy=tuple(v.code for v in verdicts if not v.skipped and not v.findings),
        skipped=tuple(
            Skip(
                code=v.code,
                name=catalogue.checks[v.code].name,
                reason=v.skipped,
                trace=v.trace,
            )
            for v in verdicts
            if v.skipped
        ),
        summary=counts,
        broken=tuple(Pack(pack=b.pack, reason=b.reason) for b in catalogue.broken),
    )


def _entry(item: Ranked) -> Entry:
    check, finding = item.check, item.finding
    return Entry(
        rank=item.rank,
        code=check.code,
        name=check.name,
        severity=finding.severity.name.lower(),
        title=check.title,
        summary=finding.summary,
        evidence=dict(finding.evidence),
        location=finding.location,
        also_at=finding.also_at,
        gain=finding.gain,
        explains=item.explains,
        confidence=finding.confidence.name.lower(),
        remedies=tuple(map(cure, finding.remedies)),
        sources=check.sources,
        cause=item.cause,
        why=item.why,
    )


def cure(remedy: Remedy) -> Cure:
    """Write a remedy out."""
    return Cure(
        title=remedy.title,
        shell=remedy.shell,
        argv=remedy.argv,
        place=remedy.place.name.lower(),
        lasts=remedy.lasts.name.lower(),
        root=remedy.root,
        automatic=remedy.automatic,
        undo=remedy.undo,
        verify=remedy.verify,
        snippet=remedy.snippet,
        puts=tuple(put.path for put in remedy.puts),
        removes=remedy.removes,
    )
