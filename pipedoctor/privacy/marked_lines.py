"""Patterns looked for only in the lines around a mark: most of a long log holds none."""

import functools
import re
from collections.abc import Callable, Iterable

_compile = functools.cache(re.compile)
"""The cache of `re` is small, and slower to ask."""
MatchReplacer = Callable[[re.Match[str]], str]
LONG_TEXT = 2000
"""Characters from which on it is faster to look for the marks first."""
_SPARSE = 400
"""Characters of text for each mark, below which the whole text is searched."""
_LINES_AROUND = 2
"""Lines before and behind that of the mark which may belong to a match."""


def replace_near_marks(
    pattern: str, marks: Iterable[str], replacer: MatchReplacer, text: str
) -> str:
    """The same as `re.sub`, where one of `marks` stands in every match."""
    compiled = _compile(pattern)
    windows = _find_windows(marks, text) if len(text) >= LONG_TEXT else None
    if windows is None:
        return compiled.sub(replacer, text)
    parts: list[str] = []
    done = 0
    for begin, end in windows:
        for match in compiled.finditer(text, max(begin, done), end):
            parts += [text[done : match.start()], replacer(match)]
            done = match.end()
    return "".join([*parts, text[done:]]) if parts else text


def _find_windows(marks: Iterable[str], text: str) -> list[tuple[int, int]] | None:
    """Groups of lines that hold a mark, in order; None: they are most of the text."""
    left = len(text) // _SPARSE
    places: list[int] = []
    for mark in marks:
        at = text.find(mark) if mark else 0
        while at >= 0:
            left -= 1
            if left < 0:
                return None
            places.append(at)
            at = text.find(mark, _skip_lines(text, at, 1))
    windows: list[tuple[int, int]] = []
    for place in sorted(places):
        begin, end = _go_back(text, place), _skip_lines(text, place, 1 + _LINES_AROUND)
        if windows and begin <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(end, windows[-1][1]))
        else:
            windows.append((begin, end))
    return windows


def _skip_lines(text: str, at: int, lines: int) -> int:
    """Where the line begins that stands so many lines behind this place."""
    for _ in range(lines):
        at = text.find("\n", at) + 1
        if not at:
            return len(text)
    return at


def _go_back(text: str, at: int) -> int:
    """Where the line begins that stands `_LINES_AROUND` lines before this place."""
    for _ in range(_LINES_AROUND + 1):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return 0
    return at + 1
