"""Rows of the history in a terminal."""

from rich.table import Table as Grid
from rich.text import Text

from pipedoctor.fleet.history import HistoryRows
from pipedoctor.report.sentences import clean_text
from pipedoctor.report.terminal import TerminalWriter


def render(table: HistoryRows, *, width: int) -> str:
    """A table without lines, under the names of its columns."""
    names, rows = table
    grid = Grid(box=None, pad_edge=False, padding=(0, 2))
    for name in names:
        grid.add_column(clean_text(name))
    for row in rows:
        cells = ("" if cell is None else clean_text(cell) for cell in row)
        grid.add_row(*(Text(cell) for cell in cells))
    canvas = TerminalWriter(width, color=False)
    canvas.write_block(grid)
    return canvas.to_text()
