"""A comparison for a terminal: the answer first, values side by side."""

import io
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pipedoctor.diff import words
from pipedoctor.diff.model import Diff, Difference, Value
from pipedoctor.report.words import Detail, clean, where

NARROWEST, WIDEST = 60, 200
_NARROW = 80
"""Columns below which values stand below each other."""
_BESIDE = 3
"""Sides that fit beside each other."""
_STYLES = {
    "breaks": "bold red",
    "risks": "bold yellow",
    "slows": "bold cyan",
    "note": "bold",
}


def render(
    diff: Diff,
    *,
    width: int = 100,
    colour: bool = False,
    detail: Detail = "normal",
    ascii_only: bool = False,
) -> str:
    """Write it for a terminal of this width; `brief`: a line a difference."""
    if detail == "brief":
        return "".join(_brief(diff, one) for one in diff.differences)
    page = _Page(diff, min(max(width, NARROWEST), WIDEST), colour, ascii_only)
    page.verbatim(words.first_line(diff), style="bold")
    page.gap()
    page.parties()
    for chapter in words.chapters(diff, full=detail == "full"):
        page.gap()
        page.chapter(chapter)
    page.gap()
    if detail == "full":
        page.rest()
    for remark in words.remarks(diff, full=detail == "full"):
        page.line(remark)
    if detail != "full" and (diff.folded or diff.unknown):
        page.line("-v says more: what was folded, what is unknown and why.", "dim")
    return page.text()


def _brief(diff: Diff, one: Difference) -> str:
    said = " | ".join(value.shown for value in one.values)
    del diff
    return f"{one.group:<7} {clean(one.title)}: {clean(said)}\n"


class _Page:
    def __init__(self, diff: Diff, width: int, colour: bool, ascii_only: bool) -> None:
        self._diff = diff
        self._names = [clean(side.name) for side in diff.sides]
        self._stacked = width < _NARROW or len(self._names) > _BESIDE
        self._arrow = "->" if ascii_only else "→"
        self._file = io.StringIO()
        self._console = Console(
            file=self._file,
            width=width,
            force_terminal=colour,
            color_system="standard" if colour else None,
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
        )

    def text(self) -> str:
        lines = self._file.getvalue().split("\n")
        return "\n".join(line.rstrip() for line in lines)

    def gap(self) -> None:
        self._console.print()

    def line(self, text: str, style: str = "", indent: int = 0) -> None:
        """Prose: wrapped at the width."""
        self._console.print(Padding(Text(text, style=style), (0, 0, 0, indent)))

    def verbatim(self, text: str, *, style: str = "", indent: int = 0) -> None:
        """A line to paste: never broken, however long."""
        self._console.print(Text(" " * indent + text, style=style), soft_wrap=True)

    def parties(self) -> None:
        """Who is compared."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(overflow="fold", style="bold")
        grid.add_column(overflow="fold")
        for name, side in zip(self._names, self._diff.sides, strict=True):
            grid.add_row(name, words.party(side))
        self._console.print(grid)

    def chapter(self, chapter: words.Chapter) -> None:
        """Differences of one group, under its heading."""
        self.line(chapter.heading, "bold underline")
        plain = [one for one in chapter.shown if one.finding is None]
        for one in chapter.shown:
            if one.finding is not None:
                self._finding(one)
        if plain and self._stacked:
            for one in plain:
                self._one(one)
        elif plain:
            self._console.print(self._beside(plain))
        if chapter.left_out:
            self.line(f"and {chapter.left_out} more, which -v shows", "dim", 4)

    def _finding(self, one: Difference) -> None:
        """What a check says, side by side, and its remedies."""
        fault = one.finding
        assert fault is not None  # noqa: S101  (see chapter)
        sure = "" if fault.confidence == "certain" else f", {fault.confidence}"
        head = Text.assemble(
            f"{one.rank:>3}  ",
            (fault.severity.upper(), _STYLES.get(fault.severity, "")),
            ("  " + clean(fault.name), "bold"),
            (f"  {clean(fault.code)}{sure}", "dim"),
        )
        self._console.print(head)
        self._console.print(Padding(self._said(one.values, one.apart), (0, 0, 0, 5)))
        for fact in one.evidence:
            self.line(self._aside(fact.title, fact.values), "dim", 5)
        for cure in fault.remedies[:1]:
            head = Text.assemble(
                (f"{self._arrow} ", "green"),
                clean(cure.title),
                (f" ({where(cure)})", "dim"),
            )
            self._console.print(Padding(head, (0, 0, 0, 5)))
            if cure.shell:
                self.verbatim(f"$ {clean(cure.shell)}", style="green", indent=7)

    def _said(self, values: Sequence[Value], apart: Sequence[int]) -> Table:
        """Each side's name and what it has."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(overflow="fold", style="dim", max_width=24)
        grid.add_column(overflow="fold")
        for name, value in zip(self._names, _styled(values, apart), strict=True):
            grid.add_row(name, value)
        return grid

    def _aside(self, title: str, values: Sequence[Value]) -> str:
        said = ", ".join(
            f"{words.plain(value)} in {name}"
            for name, value in zip(self._names, values, strict=True)
        )
        return clean(f"{title}: {said}")

    def _one(self, one: Difference) -> None:
        """A difference where there is no room beside: its title, then a line a side."""
        self.line(f"{one.rank:>3}  {clean(one.title)}")
        self._console.print(Padding(self._said(one.values, one.apart), (0, 0, 0, 5)))

    def _beside(self, differences: Iterable[Difference]) -> Table:
        table = Table(
            box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim"
        )
        table.add_column("", justify="right", no_wrap=True, min_width=3)
        table.add_column("", overflow="fold", ratio=3)
        for name in self._names:
            table.add_column(name, overflow="fold", ratio=3)
        for one in differences:
            values = _styled(one.values, one.apart)
            table.add_row(str(one.rank), clean(one.title), *values)
        table.expand = True
        return table

    def rest(self) -> None:
        """What was folded and what is unknown, one by one."""
        for one in self._diff.folded:
            said = self._aside(words.trifle(one), one.values)
            self.line(f"Folded ({clean(one.because)}): {said}", "dim")
        for gap in self._diff.unknown:
            self.line(words.gap(self._diff, gap), "dim")


def _styled(values: Sequence[Value], apart: Sequence[int]) -> list[Text]:
    """Values of those who stand apart in bold; what is unknown or missing dim."""
    styles = {"missing": "dim", "unknown": "dim"}
    return [
        Text(
            clean(value.shown),
            style="bold" if side in apart else styles.get(value.state, ""),
        )
        for side, value in enumerate(values)
    ]
