"""Rows of numbers in a short log: columns that climb, draws that come again."""

import re
from collections.abc import Iterator
from itertools import groupby, pairwise

import msgspec

from pipedoctor.facts.log import Seen
from pipedoctor.log.trend import is_rising

MIN_ROWS = 4
"""Rows that make a column."""
_CELL = re.compile(r"[^\s,;|]+")
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) ?([kKMGT]?)i?B?$")
_UNITS = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_DRAW = re.compile(r"(?:\s*(?:tensor|array)\()?[\s\[(]*-?\d[\d\s.,;e+\-\[\])]*$")
_MIN_DISTINCT = 4
"""Numbers of a draw that differ: shapes and indices come again as well."""
_MIN_REPEATS = 3
"""So often one draw, or two of them twice, is no accident."""


def find_rising_column(match: Seen, text: str) -> list[Seen]:
    """The ends of the column under a header, if what stands there rises."""
    lines = text.split("\n")
    head = _CELL.findall(lines[match.line - 1]) if match.line <= len(lines) else []
    name = match.values.get("column", "")
    if name not in head:
        return []
    column = _read_column(lines, match.line, head.index(name), len(head))
    if len(column) < MIN_ROWS or not is_rising([value for _, value in column]):
        return []
    ends = (match.line, column[0][0], column[-1][0])
    return [_quote_line(match, number, lines[number - 1]) for number in ends]


def _read_column(lines: list[str], start: int, place: int, width: int) -> list[tuple[int, float]]:
    """Line numbers and values, down to the first row of another width."""
    found: list[tuple[int, float]] = []
    for number, line in enumerate(lines[start:], start + 1):
        cells = _CELL.findall(line)
        size = _SIZE.match(cells[place]) if len(cells) == width else None
        if size is None:
            break
        found.append((number, float(size[1]) * _UNITS[size[2]]))
    return found


def find_repeated_draws(match: Seen, text: str) -> list[Seen]:
    """Draws that stand several times, one right after the other."""
    runs = [list(run) for _, run in groupby(_find_draws(text), key=lambda draw: draw[1:])]
    again = [run for run in runs if len(run) > 1]
    if sum(len(run) - 1 for run in again) < _MIN_REPEATS - 1:
        return []
    lines = text.split("\n")
    return [_quote_line(match, draw[0], lines[draw[0] - 1]) for run in again for draw in run[:2]]


def _find_draws(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Where each begins, how many other lines stand above it, and its numbers."""
    others, start, open_ = 0, 0, 0
    numbers: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not _DRAW.match(line):
            others, numbers, open_ = others + bool(line.strip()), [], 0
            continue
        start = start if open_ > 0 else number
        numbers = [*(numbers if open_ > 0 else ()), *_NUMBER.findall(line)]
        open_ = max(open_, 0) + _count_open_brackets(line)
        if open_ <= 0 and _is_draw(numbers):
            yield start, others, tuple(numbers)


def _count_open_brackets(line: str) -> int:
    """How many brackets it opens that it does not close."""
    return sum(map(line.count, "([")) - sum(map(line.count, ")]"))


def _is_draw(numbers: list[str]) -> bool:
    """Enough of them, and no row of indices."""
    values = [float(number) for number in numbers]
    steps = {round(b - a, 9) for a, b in pairwise(values)}
    return len(set(values)) >= _MIN_DISTINCT and len(steps) > 1


def _quote_line(match: Seen, number: int, text: str) -> Seen:
    return msgspec.structs.replace(match, line=number, text=text.strip())
