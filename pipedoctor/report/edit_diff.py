"""What edits would change of the user's code, as the lines of a unified diff."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from pipedoctor.check import Edit
from pipedoctor.report.sentences import clean_text

MAX_DIFF_LINES = 40
"""Lines of a longer diff would hide the report: `fix --dry-run` shows it."""

EditDiffs: TypeAlias = Mapping[tuple[Edit, ...], tuple[str, ...]]
"""By the edits of a remedy, the lines to show."""
NO_DIFFS: EditDiffs = MappingProxyType({})
LineReader: TypeAlias = Callable[[str, int], Sequence[str]]
"""The lines of a file, or of a cell of a notebook (counted from 1; else 0)."""


def diff_edits(edits: Sequence[Edit], read_line: LineReader) -> tuple[str, ...]:
    """
    Compare the code before and after the edits, with a line of context.

    Empty where a file cannot be read, is not as it was, or where there is too much.
    """
    places = dict.fromkeys((edit.path, edit.cell) for edit in edits)
    shown: list[str] = []
    for path, cell in places:
        own = [edit for edit in edits if (edit.path, edit.cell) == (path, cell)]
        before = read_line(path, cell)
        after = _apply_edits(before, own)
        if not before or after is None:
            return ()
        shown += _format_hunks(path, cell, before, after)
    return tuple(shown) if len(shown) <= MAX_DIFF_LINES else ()


def _apply_edits(lines: Sequence[str], edits: Sequence[Edit]) -> list[str] | None:
    """
    The lines afterwards; None: the edits do not fit them.

    What is inserted at one place stands in the order of the edits, as `fix --code` writes it.
    """
    result = [*lines, ""]
    ordered = sorted(dict.fromkeys(edits), key=lambda one: (one.line, one.column))
    for edit in reversed(ordered):
        if not 0 < edit.line <= edit.end_line <= len(result):
            return None
        head = result[edit.line - 1][: edit.column - 1]
        tail = result[edit.end_line - 1][edit.end_column - 1 :]
        text = f"{head}{edit.replacement}{tail}"
        result[edit.line - 1 : edit.end_line] = text.split("\n")
    return result if result[-1] else result[:-1]


def _format_hunks(
    path: str, cell: int, before: Sequence[str], after: Sequence[str]
) -> Iterator[str]:
    import difflib  # noqa: PLC0415  (few reports have edits)

    name = clean_text(f"{path}, cell {cell}" if cell else path)  # one line, whatever is in it
    changes = difflib.unified_diff(before, after, name, name, n=1, lineterm="")
    for number, line in enumerate(changes):
        if number >= 2:  # noqa: PLR2004  (the two lines with names)
            yield f"{line} {name}" if line.startswith("@@") else line
