"""Wrap text as rich does, without importing rich, which takes as long as writing a report."""

import itertools
from collections.abc import Iterator

from pipedoctor.lazy_pattern import compile_lazily

_WORD_PATTERN = compile_lazily(r"\s*\S+\s*")
_SINGLE_CELLS = frozenset(
    [chr(code) for code in (*range(0x20, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x300))]
    + [*"\n\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u2026\u2192\u2514"]
)
"""Characters that take one cell of a terminal, and the end of a line; others may as well."""
_MIN_WIDTH = 20


def wrap_plain(text: str, width: int) -> list[str] | None:
    """
    Lines of at most so many cells, without blanks at their ends.

    None: there are characters whose width only tables know, or there is hardly any room.
    """
    if width < _MIN_WIDTH or not _SINGLE_CELLS.issuperset(text):
        return None
    lines: list[str] = []
    for line in text.split("\n"):
        places = [0, *_find_breaks(line, width), len(line)]
        lines += [line[begin:end].rstrip() for begin, end in itertools.pairwise(places)]
    return lines


def is_plain(text: str) -> bool:
    """Is this one line, of characters that take one cell each?"""
    return _SINGLE_CELLS.issuperset(text) and "\n" not in text


def measure_cells(text: str) -> int:
    """Cells of a terminal that a line takes."""
    if is_plain(text):
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415  (few lines need it)

    return cell_len(text)


def crop_cells(text: str, width: int) -> str:
    """The beginning of a line that is longer than so many cells."""
    if is_plain(text):
        return text[:width]
    from rich.cells import set_cell_size  # noqa: PLC0415  (few lines need it)

    return set_cell_size(text, width)


def _find_breaks(line: str, width: int) -> Iterator[int]:
    """Where a line is broken: before a word that has no room, and within one that never has."""
    used = 0
    for match in _WORD_PATTERN.finditer(line):
        word, start = match[0], match.start()
        length = len(word.rstrip())
        if length <= width - used:
            used += len(word)
        elif length > width:
            pieces = range(start, match.end(), width)
            yield from (piece for piece in pieces if piece)
            used = match.end() - pieces[-1]
        elif used and start:
            yield start
            used = len(word)
