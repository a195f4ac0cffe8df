"""Columns of tables as tools print them: below which heading each word stands."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from pipedoctor.lazy_pattern import compile_lazily

_MAX_HEADING, _MAX_ROWS = 300, 400
_MAX_WORDS = 3
"""Of the heading of one column."""
_RULE = r"[\s|:+=-]*"
_WIDE = r"\S+(?: \S+)*"


_FORMAT = compile_lazily(
    r"\b(?:squeue|sacct|sstat|sinfo)\s[^\n|;&]*?(?:-[oO][ =]?|--[fF]ormat[ =])"
    r"(?:[\"'](?P<fields>[^\"'\n]+)|(?P<bare>[\w%,:.-]+))"
)
_PRINTER = compile_lazily(r"[a-z][\w-]*: (?=(?:[A-Z][A-Za-z_%#-]*(?:\s+|$)){2,}$)")
"""Before a heading: the command that prints it, as ``pestat: Hostname Partition``."""
_CODES = {"u": "user", "N": "nodelist", "B": "batchhost", "R": "nodelist(reason)", "n": "nodelist"}
"""Of squeue, for who and where."""


class Cell(NamedTuple):
    """A word of a column, and where it stands."""

    kind: str
    line: int
    begin: int
    end: int


class _Heading(NamedTuple):
    sign: str
    """Between cells; nothing: spaces align them."""
    cells: list[tuple[int, int]]
    kinds: Sequence[str]


def find_cells(lines: Sequence[str], judge: Callable[[list[str]], Sequence[str]]) -> Iterator[Cell]:
    """
    Every cell of the columns that `judge` gives a kind, by all headings of their table.

    A table ends at an empty line, or where another begins.
    """
    heading: _Heading | None = None
    rows = 0
    for number, line in enumerate(lines):
        rows += 1
        found = _read_heading(line, judge)
        if found is not None or not line.strip() or rows > _MAX_ROWS:
            heading, rows = found, 0
        elif heading is not None and re.fullmatch(_RULE, line) is None:
            for kind, begin, end in _read_row(line, heading):
                yield Cell(kind, number, begin, end)


def _read_heading(line: str, judge: Callable[[list[str]], Sequence[str]]) -> _Heading | None:
    if not line.strip() or len(line) > _MAX_HEADING:
        return None
    if (asked := _FORMAT.search(line)) is not None:
        return _read_format(asked["fields"] or asked["bare"], line, judge)
    if (named := _PRINTER.match(line)) is not None:  # no column stands below its heading
        texts = line[named.end() :].split()
        kinds = judge(texts)
        return _Heading("", [(-1, -1)] * len(texts), kinds) if any(kinds) else None
    sign = _find_sign(line)
    cells = _split(line, sign) if sign else _find_aligned(line)
    texts = [line[begin:end] for begin, end in cells]
    if len(cells) < 2 or any(len(text.split()) > _MAX_WORDS for text in texts):  # noqa: PLR2004
        return None
    kinds = judge(texts)
    return _Heading(sign, cells, kinds) if any(kinds) else None


def _read_format(
    fields: str, line: str, judge: Callable[[list[str]], Sequence[str]]
) -> _Heading | None:
    """Columns that a command of Slurm asks for: ``squeue -h -o "%i %u %N"``."""
    if "%" in fields and "," not in fields.replace("%", "", 1).split("%")[0]:
        texts = [str(_CODES.get(code, code)) for code in re.findall(r"%[.\d]*([A-Za-z])", fields)]
        between = re.search(r"%[.\d]*[A-Za-z]([|,;\t])", fields)
        sign = between[1] if between else ""
    else:
        texts = re.sub(r"[:%][-+.\d]*", "", fields).split(",")
        sign = "|" if re.search(r"\s(?:-[a-zA-Z]*[pP]\b|--parsable)", line) else ""
    kinds = judge(texts)
    return _Heading(sign, [(-1, -1)] * len(texts), kinds) if any(kinds) else None


def _find_sign(line: str) -> str:
    for sign in ("|", "\t"):
        if sign in line.strip():
            return sign
    return "" if " " in line.strip() else next((s for s in ",;" if s in line), "")


def _split(line: str, sign: str) -> list[tuple[int, int]]:
    """Where cells between signs stand, without the spaces around them."""
    cells: list[tuple[int, int]] = []
    begin = 0
    for cell in line.split(sign):
        text = cell.strip()
        start = begin + (cell.index(text) if text else 0)
        cells.append((start, start + len(text)))
        begin += len(cell) + 1
    if sign == "|":  # around the whole row
        cells = cells[1 if cells[0][0] == cells[0][1] else 0 :]
        cells = cells[: -1 if cells and cells[-1][0] == cells[-1][1] else None]
    return cells


def _find_aligned(line: str) -> list[tuple[int, int]]:
    """Headings with wide gaps between them, or words in capitals or that begin with one."""
    wide = [match.span() for match in re.finditer(_WIDE, line)]
    words = [match.span() for match in re.finditer(r"\S+", line)]
    titles = len(wide) == 1 and all(line[begin].isupper() for begin, _ in words)
    return words if line.upper() == line or titles else wide


def _read_row(line: str, heading: _Heading) -> Iterator[tuple[str, int, int]]:
    if heading.sign:
        cells = _split(line, heading.sign)
    else:
        cells = [match.span() for match in re.finditer(r"\S+", line)]
        sentence = not any(map(str.isdecimal, line)) and len(cells) != len(heading.cells)
        if sentence:
            return
    for place, (head, kind) in enumerate(zip(heading.cells, heading.kinds, strict=True)):
        if not kind:
            continue
        found = None
        if not heading.sign:
            below = [c for c in cells if c[0] < head[1] and head[0] < c[1]]
            found = below[0] if below else None
            if len(below) > 1 and len(cells) == len(heading.cells) and cells[place] in below:
                found = cells[place]
        if found is None and len(cells) == len(heading.cells):
            found = cells[place]
        if found is not None:
            yield kind, *found
