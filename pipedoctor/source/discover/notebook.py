"""What of a notebook is code: a small part of what its file holds."""

from collections.abc import Iterator

import msgspec


class NotebookCell(msgspec.Struct, frozen=True):
    """A cell, as far as it matters here."""

    cell_type: str = ""
    source: str | list[str] = ""


class Notebook(msgspec.Struct, frozen=True):
    """A file of Jupyter, version 4."""

    cells: list[NotebookCell] = []


def extract_code_cells(text: bytes) -> Iterator[str]:
    """The code cells in their order; raises msgspec.DecodeError for what is none."""
    for cell in msgspec.json.decode(text, type=Notebook).cells:
        if cell.cell_type == "code":
            lines = cell.source
            yield lines if isinstance(lines, str) else "".join(lines)


def strip_notebook(text: bytes) -> bytes | None:
    """The same notebook without its pictures; None, where it is none."""
    try:
        cells = [NotebookCell(cell_type="code", source=code) for code in extract_code_cells(text)]
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return msgspec.json.encode(Notebook(cells=cells))
