"""Rows of the history as JSON: an object a row, by the names of the columns."""

from pipedoctor.fleet.history import HistoryRows
from pipedoctor.textsafe import encode_json


def render(table: HistoryRows) -> bytes:
    """One line of UTF-8; nothing in it that a terminal would obey."""
    names, rows = table
    objects = [dict(zip(names, row, strict=True)) for row in rows]
    return encode_json(objects) + b"\n"
