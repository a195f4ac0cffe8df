"""The report for a terminal: ranked, remedies pasteable, nothing in it obeyed."""

import sys
from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from pipedoctor.remedy import shell
from pipedoctor.report import words
from pipedoctor.report.canvas import STYLES, Canvas
from pipedoctor.report.model import Cure, Entry, Report

_MOST_REASONS = 4
_MOST_UNREAD = 3


def render(
    report: Report,
    *,
    width: int = 100,
    colour: bool = False,
    detail: words.Detail = "normal",
    ascii_only: bool = False,
) -> str:
    """Write the report for a terminal of this width; `brief`: a line a finding."""
    if detail == "brief":
        return "".join(_brief(entry) for entry in report.findings)
    page = _Page(width, colour=colour, ascii_only=ascii_only)
    page.line(f"{words.place(report)}: {words.verdict(report)}.", style="bold")
    if report.recorded:
        page.line(f"Judged from {words.clean(words.origin(report))}.")
    for entry in report.findings:
        page.gap()
        page.entry(entry, full=detail == "full")
    page.gap()
    if detail == "full":
        page.lists(report)
    page.summary(report, full=detail == "full")
    return page.text()


def _brief(entry: Entry) -> str:
    at = f"{words.place_of(entry)} " if entry.location else ""
    summary = words.clean(entry.summary)
    return f"{entry.severity:<6} {entry.code} {entry.name}: {at}{summary}\n"


class _Page(Canvas):
    def __init__(self, width: int, *, colour: bool, ascii_only: bool) -> None:
        super().__init__(width, colour=colour)
        signs = (" - ", "+-", "->") if ascii_only else (" · ", "└ ", "→")
        self._dot, self._branch, self._arrow = signs

    def entry(self, entry: Entry, *, full: bool) -> None:
        """One finding; a symptom stands under its cause, without its remedies."""
        folded = bool(entry.cause)
        indent = 3 if folded else 0
        number = f"{self._branch if folded else ''}{entry.rank}"
        inner = indent + len(number) + 2
        head = Table.grid(padding=(0, 2, 0, 0))
        head.add_column(no_wrap=True)
        head.add_column(no_wrap=True, style=STYLES.get(entry.severity, ""))
        head.add_column(overflow="fold", style="" if folded else "bold")
        head.add_row(number, entry.severity.upper(), words.clean(entry.summary))
        self.put(head, indent=indent)
        for line in self._about(entry, full=full):
            self.line(line, indent=inner, style="dim")
        if entry.gain:
            self.line(words.gained(entry.gain), indent=inner, style="green")
        for cure in entry.remedies if full or not folded else ():
            self.cure(cure, inner, full=full)
        for source in entry.sources if full else ():
            self.verbatim(words.clean(source), indent=inner, style="dim")

    def _about(self, entry: Entry, *, full: bool) -> Iterator[str]:
        parts = [f"{entry.code} {entry.name}"]
        parts += [words.place_of(entry)] if entry.location else []
        parts += [entry.confidence] if entry.confidence != "certain" else []
        parts += [f"{k} {v}" for k, v in words.evidence(entry.evidence)]
        yield self._dot.join(parts)
        if entry.cause:
            yield f"explained by {entry.cause}, which stands above"
        if entry.also_at:
            also = (f"{spot.path}:{spot.line}" for spot in entry.also_at)
            yield f"also at {words.clean(', '.join(also))}"
        if full and entry.why:
            yield f"why here: {words.clean(entry.why)}"

    def cure(self, cure: Cure, indent: int, *, full: bool) -> None:
        """One remedy: what it does and for how long, then what to paste."""
        head = Table.grid(padding=(0, 1, 0, 0))
        head.add_column(no_wrap=True, style="green")
        head.add_column(overflow="fold")
        place = (f" ({words.where(cure)})", "dim")
        head.add_row(self._arrow, Text.assemble(words.clean(cure.title), place))
        self.put(head, indent=indent)
        inner = indent + len(self._arrow) + 1
        if cure.shell:
            self.verbatim(f"$ {words.clean(cure.shell)}", indent=inner, style="green")
        for put in cure.puts:
            self.line(f"in {words.clean(put.path)}:", indent=inner)
            self._block(put.content, inner + 2)
        if cure.snippet:
            self._block(cure.snippet, inner + 2)
        for name in ("verify", "undo") if full else ():
            argv: tuple[str, ...] = getattr(cure, name)
            if argv:
                line = words.clean(shell(argv))
                self.verbatim(f"{name}: {line}", indent=inner, style="dim")

    def _block(self, text: str, indent: int) -> None:
        for line in text.rstrip("\n").split("\n"):
            self.verbatim(words.clean(line), indent=indent, style="green")

    def lists(self, report: Report) -> None:
        """Healthy and skipped checks, one by one."""
        if report.healthy:
            self.line(f"Healthy: {', '.join(report.healthy)}", style="dim")
        for reason, skips in words.by_reason(report):
            self.line(f"Skipped: {words.clean(reason)}", style="dim")
            self.line(words.named(skips), indent=2, style="dim")

    def summary(self, report: Report, *, full: bool) -> None:
        """What was not found wrong, what could not be judged, what to type next."""
        if unread := words.not_read(report, sys.maxsize if full else _MOST_UNREAD):
            self.line(unread)
        counts = f"{len(report.healthy)} healthy, {len(report.skipped)} skipped"
        why = "" if full else words.reasons(report, _MOST_REASONS)
        self.line(f"{counts} ({why})." if why else f"{counts}.")
        if names := words.fixable(report):
            self.line("These remedies can be applied here and proved:")
            self.verbatim(f"$ pipedoctor fix {' '.join(names)}", style="green")
        if report.skipped and not full:
            self.line(
                "-v says more: every reason, source and skipped check.", style="dim"
            )
