"""The page of a report for a terminal: a block for each finding, remedies pasteable."""

import sys
from collections.abc import Iterator
from typing import NamedTuple

from pipedoctor.check import shell
from pipedoctor.report import fixable, sentences
from pipedoctor.report.configuration import describe_configuration
from pipedoctor.report.edit_diff import EditDiffs
from pipedoctor.report.model import Report, ReportedFinding, ReportedRemedy
from pipedoctor.report.rule_summary import RuleSummary
from pipedoctor.report.source_frame import SourceFrames, render_frame
from pipedoctor.report.terminal import SEVERITY_STYLES, TerminalWriter

_MAX_REASONS = 4
_MAX_UNREAD = 3


class QuotedCode(NamedTuple):
    """Lines of code to show under findings, and what edits would change."""

    frames: SourceFrames
    diffs: EditDiffs


class ReportWriter(TerminalWriter):
    """Writes the parts of a report, one after the other."""

    def __init__(
        self,
        report: Report,
        width: int,
        *,
        color: bool,
        ascii_only: bool,
        quoted_code: QuotedCode,
    ) -> None:
        super().__init__(width, color=color)
        self._report, self._frames, self._diffs = report, quoted_code.frames, quoted_code.diffs
        signs = (" - ", "+-", "->") if ascii_only else (" · ", "└ ", "→")
        self._dot, self._branch, self._arrow = signs

    def write_opening(self, report: Report) -> None:
        """What was examined, and the verdict."""
        place = sentences.describe_place(report)
        self.write_paragraph(f"{place}: {sentences.describe_verdict(report)}.", style="bold")
        if report.recorded:
            origin = sentences.clean_text(sentences.describe_origin(report))
            self.write_paragraph(f"Judged from {origin}.")

    def write_finding(self, entry: ReportedFinding, *, full: bool) -> None:
        """One finding; a symptom stands under its cause, without its remedies."""
        folded = bool(entry.cause)
        indent = 3 if folded else 0
        number = f"{self._branch if folded else ''}{entry.rank}"
        inner = indent + len(number) + 2
        severity = entry.severity.upper(), SEVERITY_STYLES.get(entry.severity, "")
        summary, style = sentences.clean_text(entry.summary), "" if folded else "bold"
        self.write_row([(number, ""), severity], [(summary, "")], gap=2, indent=indent, style=style)
        for line in self._describe_finding(entry, full=full):
            self.write_paragraph(line, indent=inner, style="dim")
        self._write_frame(entry, inner)
        if entry.gain:
            self.write_paragraph(sentences.describe_gain(entry.gain), indent=inner, style="green")
        for remedy in entry.remedies if full or not folded else ():
            self.write_remedy(remedy, inner, full=full)
        for source in entry.sources if full else ():
            self.write_verbatim(sentences.clean_text(source), indent=inner, style="dim")

    def _write_frame(self, entry: ReportedFinding, indent: int) -> None:
        spot = entry.location
        frame = self._frames.get((spot.path, spot.line)) if spot else None
        if spot and frame:
            for line in render_frame(frame, spot, self.width - indent):
                self.write_verbatim(line, indent=indent)

    def write_others(self, rule: RuleSummary) -> None:
        """Where else the check found the same, when only one of its findings is shown."""
        if rule.others:
            self.write_paragraph(rule.describe_others(), indent=3)

    def _describe_finding(self, entry: ReportedFinding, *, full: bool) -> Iterator[str]:
        mark = fixable.mark_finding(self._report, entry)
        parts = [f"{entry.code} {entry.name}{f' {mark}' if mark else ''}"]
        parts += [sentences.format_location(entry)] if entry.location else []
        parts += [entry.confidence] if entry.confidence != "certain" else []
        parts += [f"{k} {v}" for k, v in sentences.format_evidence(entry.evidence)]
        yield self._dot.join(parts)
        if entry.assumed:
            yield f"assuming {sentences.clean_text(entry.assumed)}"
        if entry.cause:
            yield f"explained by {entry.cause}, listed above"
        if entry.also_at:
            also = (f"{spot.path}:{spot.line}" for spot in entry.also_at)
            yield f"also at {sentences.clean_text(', '.join(also))}"
        if entry.flow:
            yield f"the loader: {sentences.format_flow(entry.flow)}"
        if full and entry.why:
            yield f"why here: {sentences.clean_text(entry.why)}"

    def write_remedy(self, remedy: ReportedRemedy, indent: int, *, full: bool) -> None:
        """One remedy: what it does and for how long, then what to paste."""
        place = f" ({sentences.describe_remedy_place(remedy)})", "dim"
        title = sentences.clean_text(remedy.title), ""
        self.write_row([(self._arrow, "green")], [title, place], gap=1, indent=indent)
        inner = indent + len(self._arrow) + 1
        for line in remedy.shell.splitlines():
            self.write_verbatim(f"$ {sentences.clean_text(line)}", indent=inner, style="green")
        for put in remedy.puts:
            self.write_paragraph(f"in {sentences.clean_text(put.path)}:", indent=inner)
            self._write_code(put.content, inner + 2)
        if changes := self._diffs.get(remedy.edits, ()):
            self._write_code("\n".join(changes), inner + 2)
        elif remedy.listing:
            self._write_code(remedy.listing, inner + 2)
        for name in ("verify", "undo") if full else ():
            argv: tuple[str, ...] = getattr(remedy, name)
            if argv:
                line = sentences.clean_text(shell(argv))
                self.write_verbatim(f"{name}: {line}", indent=inner, style="dim")

    def _write_code(self, text: str, indent: int) -> None:
        for line in text.rstrip("\n").split("\n"):
            self.write_verbatim(sentences.clean_text(line), indent=indent, style="green")

    def write_checks(self, report: Report) -> None:
        """Healthy and skipped checks, one by one."""
        if report.healthy:
            self.write_paragraph(f"Healthy: {', '.join(report.healthy)}", style="dim")
        for kind, title in sentences.SKIP_TITLES.items():
            for reason, skips in sentences.group_skips(report, kind):
                self.write_paragraph(f"{title}: {sentences.clean_text(reason)}", style="dim")
                self.write_paragraph(sentences.format_checks(skips), indent=2, style="dim")

    def write_counts(self, report: Report, *, full: bool) -> None:
        """What is healthy, and what could not be judged."""
        if unread := sentences.describe_unread(report, sys.maxsize if full else _MAX_UNREAD):
            self.write_paragraph(unread)
        for sentence in describe_configuration(report.configuration):
            self.write_paragraph(sentences.clean_text(sentence))
        if counts := sentences.count_verdicts(report, 0 if full else _MAX_REASONS):
            self.write_paragraph(f"{counts}.")

    def write_next_step(self, report: Report, *, full: bool) -> None:
        """How to see more, then what to type to apply what can be applied here."""
        if report.skipped and not full:
            self.write_paragraph("-v shows every reason, source and skipped check.", style="dim")
        if unsafe := fixable.count_unsafe(report):
            what = "1 edit may" if unsafe == 1 else f"{unsafe} edits may"
            self.write_paragraph(f"{what} change results: made only with --unsafe.")
        if command := fixable.format_fix_command(report):
            self.write_paragraph("These remedies can be applied and verified here:")
            self.write_verbatim(f"$ {sentences.clean_text(command)}", style="green")
