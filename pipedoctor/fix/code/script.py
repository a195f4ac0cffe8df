"""A file of code as bytes and as characters, and the way from edits to new bytes."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pipedoctor.check import Edit
from pipedoctor.fix.code.notebook import InexactEditError, NotebookText
from pipedoctor.source.syntax.parse import detect_encoding

_LINE_END = re.compile(r"\r\n|\r|\n")


class TextChange(NamedTuple):
    """A range of characters, and what stands there afterwards."""

    start: int
    end: int
    text: str


def edit_content(raw: bytes, path: str, edits: Sequence[Edit]) -> bytes:
    """
    Apply edits that do not overlap; all other bytes stay. Raises InexactEditError.

    The encoding, its mark, and how lines end are those of the file.
    """
    if path.endswith(".ipynb"):
        return _edit_notebook(raw, edits)
    text, encoding = _decode_content(raw)
    try:
        return edit_text(text, edits).encode(encoding)
    except UnicodeEncodeError:
        message = f"the replacement cannot be encoded in {encoding}"
        raise InexactEditError(message) from None


def _decode_content(raw: bytes) -> tuple[str, str]:
    """The text, if its bytes can be had back from it."""
    try:
        encoding = detect_encoding(raw)
        text = raw.decode(encoding)
        same = text.encode(encoding) == raw
    except (SyntaxError, UnicodeError, LookupError) as error:
        message = f"its encoding: {error}"
        raise InexactEditError(message) from None
    if not same:
        message = f"its bytes do not survive a round trip through {encoding}"
        raise InexactEditError(message)
    return text, encoding


def _edit_notebook(raw: bytes, edits: Sequence[Edit]) -> bytes:
    sheet = NotebookText.read(raw)
    for number in sorted({edit.cell for edit in edits}):
        mine = [edit for edit in edits if edit.cell == number]
        sheet = sheet.with_source(number, edit_text(sheet.get_source(number), mine))
    return sheet.raw


def edit_text(text: str, edits: Iterable[Edit]) -> str:
    """The text with these edits in it; raises InexactEditError where they overlap."""
    starts, newline = _index_lines(text)
    changes = sorted(
        (
            TextChange(
                _find_offset(starts, text, edit.line, edit.column),
                _find_offset(starts, text, edit.end_line, edit.end_column),
                edit.replacement.replace("\n", newline),
            )
            for edit in dict.fromkeys(edits)
        ),
        key=lambda change: (change.start, change.end),
    )
    pieces: list[str] = []
    at = 0
    for change in changes:
        if change.start < at or change.end < change.start:
            message = "two edits overlap"
            raise InexactEditError(message)
        pieces += [text[at : change.start], change.text]
        at = change.end
    return "".join([*pieces, text[at:]])


def _index_lines(text: str) -> tuple[list[int], str]:
    """Where lines begin, and what ends the first of them."""
    ends = list(_LINE_END.finditer(text))
    return [0, *(end.end() for end in ends)], ends[0][0] if ends else "\n"


def _find_offset(starts: Sequence[int], text: str, line: int, column: int) -> int:
    """The place of a line and a column; raises InexactEditError where there is none."""
    if line == len(starts) + 1 and column == 1:
        return len(text)
    if not 1 <= line <= len(starts) or column < 1:
        message = f"line {line} does not exist"
        raise InexactEditError(message)
    end = starts[line] if line < len(starts) else len(text)
    if starts[line - 1] + column - 1 > end:
        message = f"line {line} has no column {column}"
        raise InexactEditError(message)
    return starts[line - 1] + column - 1


def has_overlap(edits: Iterable[Edit], others: Iterable[Edit]) -> bool:
    """Do these two groups touch the same text, other than with the same edit?"""
    mine = set(edits)
    return any(
        _overlaps(one, other)
        for one in mine
        for other in others
        if other not in mine or _is_indentation(other)
    )


def _is_indentation(edit: Edit) -> bool:
    """Does it move a whole line? What else is done there would stay behind."""
    blank = edit.replacement.isspace() and "\n" not in edit.replacement
    return edit.column == edit.end_column == 1 and blank


def _overlaps(one: Edit, other: Edit) -> bool:
    if (one.path, one.cell) != (other.path, other.cell):
        return False
    if _is_indentation(one) or _is_indentation(other):
        return one.line <= other.end_line and other.line <= one.end_line
    begin, end = (one.line, one.column), (one.end_line, one.end_column)
    start, stop = (other.line, other.column), (other.end_line, other.end_column)
    if begin == end and start == stop:
        return begin == start
    return begin < stop and start < end
