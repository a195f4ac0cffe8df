"""A comparison for a terminal: the answer first, values side by side."""

from collections.abc import Iterable, Sequence

from rich.table import Table
from rich.text import Text

from pipedoctor.diff import sentences
from pipedoctor.diff.model import Diff, Difference, SideValue
from pipedoctor.report.sentences import DetailLevel, clean_text, describe_remedy_place
from pipedoctor.report.terminal import SEVERITY_STYLES, TerminalWriter

_MIN_TABLE_WIDTH = 80
"""Columns below which values stand below each other."""
_MAX_COLUMNS = 3
"""Sides that fit beside each other."""
_MORE_HINT = "-v shows hidden differences, and what is unknown and why."


def render(
    diff: Diff,
    *,
    width: int = 100,
    color: bool = False,
    detail: DetailLevel = "normal",
    ascii_only: bool = False,
) -> str:
    """Write it for a terminal of this width; `brief`: a line a difference."""
    if detail == "brief":
        return "".join(map(_format_brief, diff.differences))
    page = _DiffWriter(diff, width, color=color, ascii_only=ascii_only)
    page.write_verbatim(sentences.write_first_line(diff), style="bold")
    page.write_blank()
    page.write_sides()
    for chapter in sentences.split_chapters(diff, full=detail == "full"):
        page.write_blank()
        page.write_chapter(chapter)
    page.write_blank()
    if detail == "full":
        page.write_omitted()
    for remark in sentences.write_remarks(diff, full=detail == "full"):
        page.write_paragraph(remark)
    if detail != "full" and (diff.folded or diff.unknown):
        page.write_paragraph(_MORE_HINT, style="dim")
    return page.to_text()


def _format_brief(one: Difference) -> str:
    values = " | ".join(value.shown for value in one.values)
    return f"{one.group:<7} {clean_text(one.title)}: {clean_text(values)}\n"


class _DiffWriter(TerminalWriter):
    def __init__(self, diff: Diff, width: int, *, color: bool, ascii_only: bool) -> None:
        super().__init__(width, color=color)
        self._diff = diff
        self._names = [clean_text(side.name) for side in diff.sides]
        self._stacked = width < _MIN_TABLE_WIDTH or len(self._names) > _MAX_COLUMNS
        self._arrow = "->" if ascii_only else "→"

    def write_sides(self) -> None:
        """Who is compared."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(overflow="fold", style="bold")
        grid.add_column(overflow="fold")
        for name, side in zip(self._names, self._diff.sides, strict=True):
            grid.add_row(name, sentences.describe_side(side))
        self.write_block(grid)

    def write_chapter(self, chapter: sentences.DiffChapter) -> None:
        """Differences of one group, under its heading."""
        self.write_paragraph(chapter.heading, style="bold underline")
        plain = [one for one in chapter.shown if one.finding is None]
        for one in chapter.shown:
            if one.finding is not None:
                self._write_finding(one)
        if plain and self._stacked:
            for one in plain:
                self._write_stacked(one)
        elif plain:
            self.write_block(self._build_table(plain))
        if chapter.left_out:
            self.write_paragraph(
                f"and {chapter.left_out} more (-v shows all)", style="dim", indent=4
            )

    def _write_finding(self, one: Difference) -> None:
        """What a check says, side by side, and its remedies."""
        fault = one.finding
        assert fault is not None  # noqa: S101  (see chapter)
        sure = "" if fault.confidence == "certain" else f", {fault.confidence}"
        head = Text.assemble(
            f"{one.rank:>3}  ",
            (fault.severity.upper(), SEVERITY_STYLES.get(fault.severity, "")),
            ("  " + clean_text(fault.name), "bold"),
            (f"  {clean_text(fault.code)}{sure}", "dim"),
        )
        self.write_block(head)
        self.write_block(self._build_side_grid(one.values, one.apart), indent=5)
        for fact in one.evidence:
            self.write_paragraph(
                self._format_values(fact.title, fact.values), style="dim", indent=5
            )
        for remedy in fault.remedies[:1]:
            place = f" ({describe_remedy_place(remedy)})", "dim"
            title = clean_text(remedy.title), ""
            self.write_row([(self._arrow, "green")], [title, place], gap=1, indent=5)
            for line in remedy.shell.splitlines():
                self.write_verbatim(f"$ {clean_text(line)}", style="green", indent=7)

    def _build_side_grid(self, values: Sequence[SideValue], outliers: Sequence[int]) -> Table:
        """Each side's name and what it has."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(overflow="fold", style="dim", max_width=24)
        grid.add_column(overflow="fold")
        for name, value in zip(self._names, _style_values(values, outliers), strict=True):
            grid.add_row(name, value)
        return grid

    def _format_values(self, title: str, values: Sequence[SideValue]) -> str:
        values_text = ", ".join(
            f"{value.shown} in {name}" for name, value in zip(self._names, values, strict=True)
        )
        return clean_text(f"{title}: {values_text}")

    def _write_stacked(self, one: Difference) -> None:
        """A difference where there is no room beside: its title, then a line a side."""
        self.write_paragraph(f"{one.rank:>3}  {clean_text(one.title)}")
        self.write_block(self._build_side_grid(one.values, one.apart), indent=5)

    def _build_table(self, differences: Iterable[Difference]) -> Table:
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
        table.add_column("", justify="right", no_wrap=True, min_width=3)
        table.add_column("", overflow="fold", ratio=3)
        for name in self._names:
            table.add_column(name, overflow="fold", ratio=3)
        for one in differences:
            values = _style_values(one.values, one.apart)
            table.add_row(str(one.rank), clean_text(one.title), *values)
        table.expand = True
        return table

    def write_omitted(self) -> None:
        """What was folded and what is unknown, one by one."""
        for one in self._diff.folded:
            text = self._format_values(sentences.describe_folded(one), one.values)
            self.write_paragraph(f"Hidden ({clean_text(one.because)}): {text}", style="dim")
        for gap in self._diff.unknown:
            self.write_paragraph(sentences.describe_gap(self._diff, gap), style="dim")


def _style_values(values: Sequence[SideValue], outliers: Sequence[int]) -> list[Text]:
    """Values of those who stand apart in bold; what is unknown or missing dim."""
    styles = {"missing": "dim", "unknown": "dim"}
    return [
        Text(
            clean_text(value.shown),
            style="bold" if side in outliers else styles.get(value.state, ""),
        )
        for side, value in enumerate(values)
    ]
