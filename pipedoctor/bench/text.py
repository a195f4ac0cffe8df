"""A sheet for a terminal: what follows first, then the numbers."""

import io
import re
import textwrap

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipedoctor.bench.sheet import Sheet
from pipedoctor.report.words import clean

_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
NARROW = 60
WIDE = 90
"""Columns from which on there is room for intervals."""
_INTERVAL = re.compile(r" \([^()]* to [^()]*\)")


def render(
    sheet: Sheet, *, width: int = 100, colour: bool = False, ascii_only: bool = False
) -> str:
    """Write it for a terminal of this width."""
    width = max(width, NARROW)
    title = clean(sheet.title)
    lines = [f"{_BOLD}{title}{_PLAIN}" if colour else title]
    for said in sheet.said:
        lines += _wrapped(said, width, "  ")
    if sheet.rows:
        lines += ["", *_table(sheet, width)]
    if sheet.notes:
        lines.append("")
    for note in sheet.notes:
        lines += _wrapped(note, width, "")
    text = "\n".join(lines) + "\n"
    return text.encode("ascii", "replace").decode() if ascii_only else text


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(
        clean(text),
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _fits(sheet: Sheet, width: int, *, tight: bool) -> bool:
    """Is there room for two blanks between columns?"""
    rows = [row for row in (sheet.head, *sheet.rows) if any(row[2:])]
    cut = (tuple(_INTERVAL.sub("", c) if tight else c for c in row) for row in rows)
    longest = (max(map(len, column)) for column in zip(*cut, strict=True))
    return sum(size + 2 for size in longest) <= width


def _table(sheet: Sheet, width: int) -> list[str]:
    """The rows; one that says something long in its second cell gets a line of it."""
    tight = width < WIDE
    gap = 2 if _fits(sheet, width, tight=tight) else 1
    table = Table(box=None, padding=(0, gap, 0, 0), header_style="", pad_edge=False)
    for place, name in enumerate(sheet.head):
        # No digit is ever cut off: where room is short, the names take two lines.
        table.add_column(
            Text(name),
            justify="right" if place else "left",
            no_wrap=bool(place) == tight,
        )
    notes: list[str] = []
    for row in sheet.rows:
        if len(row) > 1 and row[1] and not any(row[2:]):
            notes += _wrapped(f"{row[0]}: {row[1]}", width, "  ")
            continue
        cells = (clean(cell) for cell in row)
        table.add_row(*(Text(_INTERVAL.sub("", c) if tight else c) for c in cells))
    console = Console(width=width, file=io.StringIO(), color_system=None)
    with console.capture() as captured:
        console.print(table)
    if not table.rows:
        return ["Without a number:", *notes]
    drawn = [line.rstrip() for line in captured.get().splitlines()]
    return drawn + (["", "Without a number:", *notes] if notes else [])
