"""Named illnesses: the examination, its first automatic remedies, and the proof."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from pipedoctor.catalogue import Catalogue
from pipedoctor.check import Check, Finding, Verdict
from pipedoctor.collect.plan import Inquiry, collect
from pipedoctor.examine import Standards
from pipedoctor.facts import Facts, Pipeline, Shm, Site, Source
from pipedoctor.fix import nofile, resize
from pipedoctor.fix.draft import Draft
from pipedoctor.fix.gauge import gauge_of
from pipedoctor.fix.plan import Plan, Refused, Settled
from pipedoctor.fix.sizes import refuse_size
from pipedoctor.judge import judge
from pipedoctor.measured import joined
from pipedoctor.remedy import Place, Remedy

DEADLINE = 10.0


class ByHand(Refused):
    """What only a human can do, elsewhere: the findings with their remedies."""

    def __init__(self, why: str, findings: Sequence[Finding]) -> None:
        super().__init__(why, *by_hand(findings))
        self.findings = tuple(findings)


@dataclass(frozen=True, kw_only=True)
class Examination:
    """How to look at this machine, and to look again: the same job, the same checks."""

    catalogue: Catalogue
    inquiry: Inquiry
    standards: Standards = field(default_factory=Standards)

    def facts(self) -> Facts:
        """Collect everything now, beside what was measured before."""
        known = self.standards
        now = collect(self.inquiry, deadline=DEADLINE)
        return joined(now, known.measured, known.unmeasured)

    def knowing(
        self, seen: Pipeline | None, unmeasured: Mapping[str, str]
    ) -> "Examination":
        """The same beside this pipeline, or why there is none."""
        measured = () if seen is None else (seen,)
        known = msgspec.structs.replace(
            self.standards, measured=measured, unmeasured=unmeasured
        )
        return replace(self, standards=known)

    def judge(self, facts: Facts, *codes: str) -> list[Verdict]:
        """What these checks, or all, say of these facts."""
        verdicts = judge(
            self.catalogue,
            facts,
            chosen=lambda check: not codes or check.code in codes,
            settings=self.standards.settings,
        )
        return [v for v in verdicts if not codes or v.code in codes]

    def verdicts(self, *codes: str) -> list[Verdict]:
        """What these checks, or all, say now."""
        return self.judge(self.facts(), *codes)

    def found(self, code: str) -> tuple[Finding, ...]:
        """What this check finds now."""
        return next((v.findings for v in self.verdicts(code)), ())

    def garbage(self, code: str) -> frozenset[str]:
        """The files that this check would have removed if asked now."""
        remedies = (automatic(finding) for finding in self.found(code))
        return frozenset(path for r in remedies if r for path in r.removes)

    def still_ill(self, code: str, manual: int) -> str:
        """
        Why the illness is not proved gone; empty when it is.

        `manual` findings were there before that no remedy of ours can clear.
        """
        verdict = next(iter(self.verdicts(code)), None)
        if verdict is None:
            return f"{code} is not installed any more"
        name = self.catalogue.checks[code].name
        if verdict.skipped:
            return f"{name} cannot be judged any more: {verdict.skipped}"
        ours = [f for f in verdict.findings if automatic(f)]
        if ours or len(verdict.findings) > manual:
            return f"{name} still says: {(ours or verdict.findings)[0].summary}"
        return ""


def by_running(check: Check[Any]) -> bool:
    """Is it a loader that runs that it judges, and no code?"""
    return Pipeline in check.needs and Source not in check.needs


def automatic(finding: Finding) -> Remedy | None:
    """The first remedy that may run without a human."""
    return next((remedy for remedy in finding.remedies if remedy.automatic), None)


def plan(
    check: Check[Any],
    facts: Facts,
    verdict: Verdict,
    texts: dict[str, bytes],
    *,
    lasting: bool,
    force: bool,
) -> Plan | Settled:
    """
    The automatic remedies of all its findings as one plan; raises Refused.

    `texts` is what files will hold after the plans made so far; this one adds to it.
    """
    if verdict.skipped:
        message = f"{check.name} could not be judged: {verdict.skipped}"
        raise Refused(message)
    if not verdict.findings:
        return Settled(f"{check.name} is healthy")
    chosen = [r for r in map(automatic, verdict.findings) if r]
    if not chosen:
        message = (
            f"{check.name}: {verdict.findings[0].summary}; no remedy of it can be "
            "applied from here and taken back, so it is yours to do:"
        )
        raise ByHand(message, verdict.findings)
    draft = Draft(texts=texts)
    for finding in verdict.findings:
        if remedy := automatic(finding):
            _guard(facts, remedy, force=force)
            draft.add(remedy)
            if lasting:
                draft.add_lasting(finding, remedy)
    return draft.plan(check, verdict, chosen, lasting=lasting)


def by_hand(findings: Sequence[Finding]) -> list[str]:
    """What a human can do: every remedy once, in the order of the findings."""
    lines: dict[str, None] = {}
    for remedy in (r for finding in findings for r in finding.remedies):
        place = "" if remedy.place is Place.HERE else f" ({remedy.place.value})"
        lines[f"# {remedy.title}{place}"] = None
        text = remedy.shell or remedy.snippet
        lines |= dict.fromkeys(text.splitlines())
    return list(lines)


def _guard(facts: Facts, remedy: Remedy, *, force: bool) -> None:
    """What `--shm` refuses is refused from a check as well."""
    known = gauge_of(remedy.argv)
    shm = facts.get(Shm)
    if known and known[0].kind == "nofile":
        now = known[0].read() or known[1]
        hard = nofile.pair(known[1])[1]
        nofile.refuse_powerless(known[0].pid, hard, nofile.pair(now)[1])
    if known and known[0].kind == "shm" and shm:
        refuse_size(facts, int(known[1]), force=force)
        resize.refuse_powerless(facts.get(Site), shm, int(known[1]))
