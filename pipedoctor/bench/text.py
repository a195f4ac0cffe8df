"""A sheet for a terminal: what follows first, then the numbers."""

import io
import re
import textwrap

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipedoctor.bench.result_table import ResultSheet
from pipedoctor.report.sentences import clean_text

_BOLD, _RESET = "\x1b[1m", "\x1b[0m"
MIN_WIDTH = 60
INTERVAL_WIDTH = 90
"""Terminal width from which intervals fit."""
_INTERVAL_PATTERN = re.compile(r" \([^()]* to [^()]*\)")


def render(
    sheet: ResultSheet,
    *,
    width: int = 100,
    color: bool = False,
    ascii_only: bool = False,
) -> str:
    """Write it for a terminal of this width."""
    width = max(width, MIN_WIDTH)
    title = clean_text(sheet.title)
    lines = [f"{_BOLD}{title}{_RESET}" if color else title]
    for conclusion in sheet.conclusions:
        lines += _wrap_text(conclusion, width, "  ")
    if sheet.rows:
        lines += ["", *_render_table(sheet, width)]
    if sheet.notes:
        lines.append("")
    for note in sheet.notes:
        lines += _wrap_text(note, width, "")
    text = "\n".join(lines) + "\n"
    return text.encode("ascii", "replace").decode() if ascii_only else text


def _wrap_text(text: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(
        clean_text(text),
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _has_room(sheet: ResultSheet, width: int, *, without_intervals: bool) -> bool:
    """Is there room for two blanks between columns?"""
    rows = [row for row in (sheet.header, *sheet.rows) if any(row[2:])]
    cut = (
        tuple(_INTERVAL_PATTERN.sub("", c) if without_intervals else c for c in row) for row in rows
    )
    longest = (max(map(len, column)) for column in zip(*cut, strict=True))
    return sum(size + 2 for size in longest) <= width


def _render_table(sheet: ResultSheet, width: int) -> list[str]:
    """The rows; one that says something long in its second cell gets a line of it."""
    tight = width < INTERVAL_WIDTH
    gap = 2 if _has_room(sheet, width, without_intervals=tight) else 1
    table = Table(box=None, padding=(0, gap, 0, 0), header_style="", pad_edge=False)
    for place, name in enumerate(sheet.header):
        # No digit is ever cut off: where room is short, the names take two lines.
        table.add_column(
            Text(name),
            justify="right" if place else "left",
            no_wrap=bool(place) == tight,
        )
    notes: list[str] = []
    for row in sheet.rows:
        if len(row) > 1 and row[1] and not any(row[2:]):
            notes += _wrap_text(f"{row[0]}: {row[1]}", width, "  ")
            continue
        cells = (clean_text(cell) for cell in row)
        table.add_row(*(Text(_INTERVAL_PATTERN.sub("", c) if tight else c) for c in cells))
    console = Console(width=width, file=io.StringIO(), color_system=None)
    with console.capture() as captured:
        console.print(table)
    if not table.rows:
        return ["Without a number:", *notes]
    drawn = [line.rstrip() for line in captured.get().splitlines()]
    return drawn + (["", "Without a number:", *notes] if notes else [])
