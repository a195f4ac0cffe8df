"""From the remedies of one check to one plan."""

import mmap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pipedoctor.check import Check, Finding, Lasts, Remedy, Verdict
from pipedoctor.fix.files.file_content import read_content
from pipedoctor.fix.limits import nofile, persist
from pipedoctor.fix.plan.current_value import parse_gauge
from pipedoctor.fix.plan.plan import (
    CommandStep,
    FixPlan,
    FixRefusedError,
    PlanStep,
    RemoveStep,
    WriteStep,
)


@dataclass
class PlanDraft:
    """The steps of a plan as they come together; each thing is done once."""

    steps: list[PlanStep] = field(default_factory=list[PlanStep])
    texts: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """What the files will hold after the steps so far."""

    def add_remedy(self, remedy: Remedy) -> None:
        """Files first, then the command that reads them, then the garbage."""
        for put in remedy.puts:
            self.write_text(put.path, put.content.encode())
        if remedy.argv:
            step = build_command(remedy)
            if step not in self.steps and step.before != (step.after or None):
                self.steps.append(step)
        if remedy.removes:
            self.steps.append(RemoveStep(paths=remedy.removes))

    def add_persistence(self, finding: Finding, remedy: Remedy) -> None:
        """What makes it survive a reboot; Refused when nothing is known to."""
        if remedy.lasts is Lasts.ALWAYS:
            return
        known = parse_gauge(remedy.argv)
        if known and known[0].kind in persist.PERSISTENT_FILES:
            gauge, value = known
            path, edited = persist.PERSISTENT_FILES[gauge.kind]
            self.write_text(path, edited(self.read_text(path), gauge.key, value))
            return
        for other in finding.remedies:
            if other.automatic and other.lasts is Lasts.ALWAYS:
                self.add_remedy(other)
                return
        message = f"no known way to make this persistent: {remedy.title}"
        raise FixRefusedError(message, "omit --persist to apply it until the next reboot")

    def read_text(self, path: str) -> bytes | None:
        """What a file holds after the steps so far."""
        return self.texts.get(path, read_content(path))

    def write_text(self, path: str, content: bytes) -> None:
        """Let a file hold this; nothing to do when it does."""
        found = self.read_text(path)
        if found != content:
            self.steps.append(WriteStep(path=path, content=content, found=found))
            self.texts[path] = content

    def build_plan(
        self,
        check: Check[Any],
        verdict: Verdict,
        remedies: Sequence[Remedy],
        *,
        lasting: bool,
    ) -> FixPlan:
        """The whole, as the user will see it."""
        subject, before, after = self._describe_change(check, verdict)
        garbage = [p for s in self.steps if isinstance(s, RemoveStep) for p in s.paths]
        lasts = Lasts.ALWAYS if lasting or garbage else remedies[0].lasts
        files = "1 file" if len(garbage) == 1 else f"{len(garbage)} files"
        return FixPlan(
            subject=subject,
            before=before,
            after=after,
            steps=tuple(self.steps),
            lasts=lasts.value,
            root=any(r.root for r in remedies) or lasting or self._touches_other_user(),
            check=check.code,
            manual=len(verdict.findings) - len(remedies),
            remarks=tuple(
                dict.fromkeys(f"assuming {f.assumed}" for f in verdict.findings if f.assumed)
            ),
            irreversible=f"{files} removed cannot be brought back" if garbage else "",
        )

    def _touches_other_user(self) -> bool:
        """Does a step reach into a process of another user?"""
        gauges = (s.gauge for s in self.steps if isinstance(s, CommandStep) and s.gauge)
        return any(g.is_of_process and not nofile.owns_process(g.pid) for g in gauges)

    def _describe_change(self, check: Check[Any], verdict: Verdict) -> tuple[str, str, str]:
        gauged = [s for s in self.steps if isinstance(s, CommandStep) and s.gauge]
        if len(gauged) == 1 and (gauge := gauged[0].gauge):
            step = gauged[0]
            return (
                gauge.subject,
                gauge.format_value(step.before),
                gauge.format_value(step.after),
            )
        return check.name, verdict.findings[0].summary, "cured"


def build_command(remedy: Remedy) -> CommandStep:
    """The command of a remedy, with its gauge when we know how to read it back."""
    known = parse_gauge(remedy.argv)
    now = known[0].read() if known else None
    if known is None or now is None:
        return CommandStep(argv=remedy.argv, undo=remedy.undo)
    gauge, after = known
    if gauge.kind == "shm":
        after = str(-(-int(after) // mmap.PAGESIZE) * mmap.PAGESIZE)
    back = gauge.build_command(now)
    return CommandStep(argv=remedy.argv, undo=back, gauge=gauge, before=now, after=after)
