"""The report: what `check` found, as contract `pipedoctor.report/1` writes it."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

from pipedoctor.check import Edit, Gain, Location, Put, Remedy, Severity, Verdict
from pipedoctor.check.model import FlowStep
from pipedoctor.check.typed_lines import get_typed_lines, remove_sudo
from pipedoctor.check.windows_shell import (
    format_for_powershell,
    format_for_windows,
    is_for_windows,
    translate_snippet,
)
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.engine.triage import RankedFinding
from pipedoctor.facts import Facts
from pipedoctor.facts.applicability import NOT_SELECTED, is_absent_subject
from pipedoctor.report.configuration import ReportedConfiguration
from pipedoctor.report.target_shell import TargetShell, shape_for_target
from pipedoctor.runtime.probe import NEVER_STARTED
from pipedoctor.version import __version__

if TYPE_CHECKING:
    from typing_extensions import Self

ReportSchema = Literal["pipedoctor.report/1"]
SeverityName = Literal["breaks", "risks", "slows", "note"]
ConfidenceName = Literal["certain", "likely", "possible"]
RemedyPlace = Literal["here", "launcher", "code"]
RemedyDuration = Literal["process", "boot", "always"]


class ToolInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What wrote the report."""

    name: str = "pipedoctor"
    version: str = __version__


class ReportedRemedy(msgspec.Struct, frozen=True, kw_only=True):
    """A remedy as the report shows it."""

    title: str
    shell: str
    """What to type: a line of `argv`, or lines that only a shell knows (``export``)."""
    argv: tuple[str, ...]
    place: RemedyPlace
    lasts: RemedyDuration
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

    @property
    def listing(self) -> str:
        """What belongs into a file: the snippet, unless it is typed."""
        return "" if self.shell and self.snippet.rstrip("\n") == self.shell else self.snippet

    @classmethod
    def from_remedy(cls, remedy: Remedy, **more: Any) -> "Self":
        """Write a remedy out; `more` are fields that a subclass has besides."""
        fields = {name: getattr(remedy, name) for name in ReportedRemedy.__struct_fields__}
        fields["shell"] = remedy.shell or get_typed_lines(remedy)
        fields["place"] = remedy.place.name.lower()
        fields["lasts"] = remedy.lasts.name.lower()
        return cls(**fields, **more)

    @classmethod
    def for_shell(cls, remedy: Remedy, target: TargetShell, **more: Any) -> Iterator["Self"]:
        """Write it out for this shell; nothing, if it is for another system."""
        for one in shape_for_target(remedy, target):
            yield from cls._write_for_shell(one, target, **more)

    @classmethod
    def _write_for_shell(cls, remedy: Remedy, target: TargetShell, **more: Any) -> Iterator["Self"]:
        if not target.windows:
            made = cls.from_remedy(remedy, **more)
            shell = remove_sudo(made.shell) if target.drops_sudo(remedy) else made.shell
            snippet = shell if made.shell and not made.listing else made.snippet
            yield msgspec.structs.replace(made, shell=shell, snippet=snippet)
        elif is_for_windows(remedy):
            told = translate_snippet(remedy)
            made = cls.from_remedy(told, **more)
            shell = format_for_windows(told.argv) or get_typed_lines(told)
            snippet = told.snippet
            if "powershell" in target.names:
                shell, snippet = format_for_powershell(shell), format_for_powershell(snippet)
            yield msgspec.structs.replace(made, shell=shell, snippet=snippet)


class ReportedFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding in its place."""

    rank: int
    code: str
    name: str
    severity: SeverityName
    title: str
    summary: str
    evidence: dict[str, Any]
    location: Location | None = None
    also_at: tuple[Location, ...] = ()
    flow: tuple[FlowStep, ...] = ()
    gain: Gain | None = None
    explains: tuple[str, ...] = ()
    confidence: ConfidenceName
    remedies: tuple[ReportedRemedy, ...] = ()
    sources: tuple[str, ...] = ()
    cause: str = ""
    why: str = ""
    assumed: str = ""
    """What is assumed of a job that is not known, and the options that tell it."""


class SkippedCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A check that could not judge, and why."""

    code: str
    name: str
    reason: str
    trace: str = ""
    accepted: bool = False
    """It did judge, and what it found is a risk that the user accepts."""
    applicable: bool = True
    """False: there was nothing of its kind to judge, or nobody asked for it."""

    @property
    def is_late(self) -> bool:
        """Was there no time for it, or for what it reads?"""
        return self.reason == NEVER_STARTED or self.reason.startswith("no answer after ")


class ReportedPack(msgspec.Struct, frozen=True, kw_only=True):
    """A pack of checks, or one of its modules, that would not load."""

    pack: str
    reason: str


class ReportedFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts that were judged, by section."""

    known: dict[str, dict[str, Any]]
    unknown: dict[str, str]


class SeverityCounts(msgspec.Struct, frozen=True, kw_only=True):
    """How many findings of each severity."""

    breaks: int = 0
    risks: int = 0
    slows: int = 0
    note: int = 0


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that `check` has to say."""

    schema: ReportSchema = "pipedoctor.report/1"
    tool: ToolInfo = ToolInfo()
    created: str
    """UTC, ``2026-01-01T00:00:00Z``."""
    seconds: float
    recorded: str = ""
    """When the facts were collected, where a record was judged and not a machine."""
    facts: ReportedFacts
    findings: tuple[ReportedFinding, ...] = ()
    healthy: tuple[str, ...] = ()
    skipped: tuple[SkippedCheck, ...] = ()
    summary: SeverityCounts
    broken: tuple[ReportedPack, ...] = ()
    fix_arguments: tuple[str, ...] = ()
    """What `pipedoctor fix` is given besides names: the code and the job that were judged."""
    configuration: tuple[ReportedConfiguration, ...] = ()
    """Files that decided how it was judged; none: the command line alone."""

    def worst_severity(self) -> Severity | None:
        """The gravest severity in it."""
        return max((Severity[e.severity.upper()] for e in self.findings), default=None)

    @property
    def has_verdicts(self) -> bool:
        """Could anything be judged at all?"""
        accepted = any(skip.accepted for skip in self.skipped)
        return bool(self.findings or self.healthy or accepted)

    @property
    def has_nothing_to_judge(self) -> bool:
        """Was code read that has nothing for the chosen checks, which is no failure?"""
        reasons = [s.reason for s in self.skipped if s.reason != NOT_SELECTED]
        return not self.has_verdicts and bool(reasons) and all(map(is_absent_subject, reasons))


def build_report(  # noqa: PLR0913  (the parts of a report)
    catalogue: Catalogue,
    facts: Facts,
    verdicts: Sequence[Verdict],
    ranked: Sequence[RankedFinding],
    *,
    remarks: Mapping[str, str] = MappingProxyType({}),
    created: str,
    seconds: float,
    recorded: str = "",
    configuration: tuple[ReportedConfiguration, ...] = (),
) -> Report:
    """
    Put the judgement into the form that every format is written from.

    `remarks` are said of the findings of the check with that code.
    """
    target = TargetShell.find_for_project(facts)
    grades = [item.finding.severity.name.lower() for item in ranked]
    return Report(
        created=created,
        seconds=round(seconds, 3),
        recorded=recorded,
        configuration=configuration,
        facts=ReportedFacts(**facts.to_record()),
        findings=tuple(_convert_finding(r, remarks.get(r.check.code, ""), target) for r in ranked),
        healthy=tuple(v.code for v in verdicts if not v.skipped and not v.findings),
        skipped=tuple(
            SkippedCheck(
                code=v.code,
                name=catalogue.checks[v.code].name,
                reason=v.skipped,
                trace=v.trace,
                accepted=v.accepted,
                applicable=v.applicable,
            )
            for v in verdicts
            if v.skipped
        ),
        summary=SeverityCounts(**{grade: grades.count(grade) for grade in set(grades)}),
        broken=tuple(ReportedPack(pack=b.pack, reason=b.reason) for b in catalogue.broken),
    )


_FIRST_WORDS = frozenset(
    (
        *("a", "all", "an", "at", "both", "each", "every", "in", "it", "its", "neither", "no"),
        *("not", "nothing", "on", "one", "only", "several", "some", "the", "there", "this"),
        *("batches", "images", "processes", "threads", "transparent", "two", "workers"),
    )
)
"""Words with which summaries begin, and which name nothing."""


def _convert_finding(item: RankedFinding, remark: str, target: TargetShell) -> ReportedFinding:
    check, finding = item.check, item.finding
    return ReportedFinding(
        rank=item.rank,
        code=check.code,
        name=check.name,
        severity=cast("SeverityName", finding.severity.name.lower()),
        title=check.title,
        summary=begin_sentence(finding.summary),
        evidence=dict(finding.evidence),
        location=finding.location,
        also_at=finding.also_at,
        flow=finding.flow,
        gain=finding.gain,
        explains=item.explains,
        confidence=cast("ConfidenceName", finding.confidence.name.lower()),
        remedies=tuple(
            one for remedy in finding.remedies for one in ReportedRemedy.for_shell(remedy, target)
        ),
        sources=check.sources,
        cause=item.cause,
        assumed=finding.assumed,
        why=f"{item.why}; {remark}" if remark else item.why,
    )


def begin_sentence(text: str) -> str:
    """
    Begin with a capital, where the first word is a plain English one.

    Names (``torch``, ``num_workers``, ``pip``), paths and messages stay as they are written.
    """
    word = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if word in _FIRST_WORDS else text
