"""Rows of the history as CSV, for a spreadsheet."""

import csv
import io

from pipedoctor.fleet.history import HistoryRows
from pipedoctor.report.sentences import clean_text


def render(table: HistoryRows) -> str:
    """A cell that a spreadsheet would take for a formula gets an apostrophe."""
    names, rows = table
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for row in (names, *rows):
        cells = ("" if cell is None else clean_text(cell) for cell in row)
        writer.writerow(f"'{c}" if c[:1] in "=+-@" and c else c for c in cells)
    return file.getvalue()
