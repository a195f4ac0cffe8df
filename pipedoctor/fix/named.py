"""Named illnesses: the examination, its first automatic remedies, and the proof."""

import mmap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pipedoctor.catalogue import Catalogue
from pipedoctor.check import Check, Finding, Verdict
from pipedoctor.collect.plan import Inquiry, collect
from pipedoctor.examine import Standards
from pipedoctor.facts import Facts, Shm, Site
from pipedoctor.fix import nofile, persist, resize
from pipedoctor.fix.files import content_of
from pipedoctor.fix.gauge import gauge_of
from pipedoctor.fix.plan import Plan, Refused, Remove, Run, Settled, Step, Write
from pipedoctor.judge import judge
from pipedoctor.remedy import Lasts, Place, Remedy

DEADLINE = 10.0


@dataclass(frozen=True, kw_only=True)
class Examination:
    """How to look at this machine, and to look again: the same job, the same checks."""

    catalogue: Catalogue
    inquiry: Inquiry
    standards: Standards = field(default_factory=Standards)

    def facts(self) -> Facts:
        """Collect everything now."""
        return collect(self.inquiry, deadline=DEADLINE)

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


def automatic(finding: Finding) -> Remedy | None:
    """The first remedy that may run without a human."""
    return next((remedy for remedy in finding.remedies if remedy.automatic), None)


def plan(
    check: Check[Any], facts: Facts, verdict: Verdict, *, lasting: bool, force: bool
) -> Plan | Settled:
    """The automatic remedies of all its findings as one plan; raises Refused."""
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
        raise Refused(message, *by_hand(verdict.findings))
    draft = Draft()
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
        resize.refuse_size(facts, int(known[1]), force=force)
        resize.refuse_powerless(facts.get(Site), shm, int(known[1]))


@dataclass
class Draft:
    """The steps of a plan as they come together; each thing is done once."""

    steps: list[Step] = field(default_factory=list[Step])
    texts: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """What the files will hold after the steps so far."""

    def add(self, remedy: Remedy) -> None:
        """Files first, then the command that reads them, then the garbage."""
        for put in remedy.puts:
            self.write(put.path, put.content.encode())
        if remedy.argv:
            step = run(remedy)
            if step not in self.steps and step.before != (step.after or None):
                self.steps.append(step)
        if remedy.removes:
            self.steps.append(Remove(paths=remedy.removes))

    def add_lasting(self, finding: Finding, remedy: Remedy) -> None:
        """What makes it survive a reboot; Refused when nothing is known to."""
        if remedy.lasts is Lasts.ALWAYS:
            return
        known = gauge_of(remedy.argv)
        if known and known[0].kind in persist.LASTING:
            gauge, value = known
            path, edited = persist.LASTING[gauge.kind]
            self.write(path, edited(self.text(path), gauge.key, value))
            return
        for other in finding.remedies:
            if other.automatic and other.lasts is Lasts.ALWAYS:
                self.add(other)
                return
        message = f"nothing is known that makes this last: {remedy.title}"
        raise Refused(message, "leave --persist out to have it until the next reboot")

    def text(self, path: str) -> bytes | None:
        """What a file holds after the steps so far."""
        return self.texts.get(path, content_of(path))

    def write(self, path: str, content: bytes) -> None:
        """Let a file hold this; nothing to do when it does."""
        found = self.text(path)
        if found != content:
            self.steps.append(Write(path=path, content=content, found=found))
            self.texts[path] = content

    def plan(
        self,
        check: Check[Any],
        verdict: Verdict,
        chosen: Sequence[Remedy],
        *,
        lasting: bool,
    ) -> Plan:
        """The whole, as the user will see it."""
        subject, before, after = self._change(check, verdict)
        garbage = [p for s in self.steps if isinstance(s, Remove) for p in s.paths]
        lasts = Lasts.ALWAYS if lasting or garbage else chosen[0].lasts
        files = "1 file" if len(garbage) == 1 else f"{len(garbage)} files"
        return Plan(
            subject=subject,
            before=before,
            after=after,
            steps=tuple(self.steps),
            lasts=lasts.value,
            root=any(r.root for r in chosen) or lasting or self._foreign(),
            check=check.code,
            manual=len(verdict.findings) - len(chosen),
            irreversible=f"{files} removed cannot be brought back" if garbage else "",
        )

    def _foreign(self) -> bool:
        """Does a step reach into a process of another user?"""
        gauges = (s.gauge for s in self.steps if isinstance(s, Run) and s.gauge)
        return any(g.kind == "nofile" and not nofile.mine(g.pid) for g in gauges)

    def _change(self, check: Check[Any], verdict: Verdict) -> tuple[str, str, str]:
        gauged = [s for s in self.steps if isinstance(s, Run) and s.gauge]
        if len(gauged) == 1 and (gauge := gauged[0].gauge):
            step = gauged[0]
            return gauge.subject, gauge.words(step.before), gauge.words(step.after)
        return check.name, verdict.findings[0].summary, "cured"


def run(remedy: Remedy) -> Run:
    """The command of a remedy, with its gauge when we know how to read it back."""
    known = gauge_of(remedy.argv)
    now = known[0].read() if known else None
    if known is None or now is None:
        return Run(argv=remedy.argv, undo=remedy.undo)
    gauge, after = known
    if gauge.kind == "shm":
        after = str(-(-int(after) // mmap.PAGESIZE) * mmap.PAGESIZE)
    return Run(argv=remedy.argv, undo=remedy.undo, gauge=gauge, before=now, after=after)
