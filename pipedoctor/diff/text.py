"""A comparison for a terminal: the answer first, values side by side."""

from collections.abc import Iterable, Sequence

from rich.table import Table
from rich.text import Text

from pipedoctor.diff import words
from pipedoctor.diff.model import Diff, Difference, Value
from pipedoctor.report.canvas import STYLES, Canvas
from pipedoctor.report.words import Detail, clean, where

_NARROW = 80
"""Columns below which values stand below each other."""
_BESIDE = 3
"""Sides that fit beside each other."""
_MORE = "-v says more: what was folded, what is unknown and why."


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
        return "".join(map(_brief, diff.differences))
    page = _Page(diff, width, colour=colour, ascii_only=ascii_only)
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
        page.line(_MORE, style="dim")
    return page.text()


def _brief(one: Difference) -> str:
    said = " | ".join(value.shown for value in one.values)
    return f"{one.group:<7} {clean(one.title)}: {clean(said)}\n"


class _Page(Canvas):
    def __init__(
        self, diff: Diff, width: int, *, colour: bool, ascii_only: bool
    ) -> None:
        super().__init__(width, colour=colour)
        self._diff = diff
        self._names = [clean(side.name) for side in diff.sides]
        self._stacked = width < _NARROW or len(self._names) > _BESIDE
        self._arrow = "->" if ascii_only else "→"

    def parties(self) -> None:
        """Who is compared."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(overflow="fold", style="bold")
        grid.add_column(overflow="fold")
        for name, side in zip(self._names, self._diff.sides, strict=True):
            grid.add_row(name, words.party(side))
        self.put(grid)

    def chapter(self, chapter: words.Chapter) -> None:
        """Differences of one group, under its heading."""
        self.line(chapter.heading, style="bold underline")
        plain = [one for one in chapter.shown if one.finding is None]
        for one in chapter.shown:
            if one.finding is not None:
                self._finding(one)
        if plain and self._stacked:
            for one in plain:
                self._one(one)
        elif plain:
            self.put(self._beside(plain))
        if chapter.left_out:
            self.line(
                f"and {chapter.left_out} more, which -v shows", style="dim", indent=4
            )

    def _finding(self, one: Difference) -> None:
        """What a check says, side by side, and its remedies."""
        fault = one.finding
        assert fault is not None  # noqa: S101  (see chapter)
        sure = "" if fault.confidence == "certain" else f", {fault.confidence}"
        head = Text.assemble(
            f"{one.rank:>3}  ",
            (fault.severity.upper(), STYLES.get(fault.severity, "")),
            ("  " + clean(fault.name), "bold"),
            (f"  {clean(fault.code)}{sure}", "dim"),
        )
        self.put(head)
        self.put(self._said(one.values, one.apart), indent=5)
        for fact in one.evidence:
            self.line(self._aside(fact.title, fact.values), style="dim", indent=5)
        for cure in fault.remedies[:1]:
            head = Text.assemble(
                (f"{self._arrow} ", "green"),
                clean(cure.title),
                (f" ({where(cure)})", "dim"),
            )
            self.put(head, indent=5)
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
        self.put(self._said(one.values, one.apart), indent=5)

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
            self.line(f"Folded ({clean(one.because)}): {said}", style="dim")
        for gap in self._diff.unknown:
            self.line(words.gap(self._diff, gap), style="dim")


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
