"""From the remedies of one check to one plan."""

import mmap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pipedoctor.check import Check, Finding, Verdict
from pipedoctor.fix import nofile, persist
from pipedoctor.fix.files import content_of
from pipedoctor.fix.gauge import gauge_of
from pipedoctor.fix.plan import Plan, Refused, Remove, Run, Step, Write
from pipedoctor.remedy import Lasts, Remedy


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
