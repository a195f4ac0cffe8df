"""The line that stands for most samples: where the work is, not the head of its loop."""

import os
from collections import Counter

from pipedoctor.collect.mounts import escape_path
from pipedoctor.facts import HotLine
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.watch.samples.called_names import read_line_text
from pipedoctor.watch.samples.tally import CodeLine

_LOOP_PATTERN = compile_lazily(r"\s*(?:async\s+for|for|while)\b")
_MAX_BODY_LINES = 40
"""Lines after the head of a loop in which its body is looked for."""
_LIKE_SHARE = 0.5
"""Of the samples of the head, that a line of the body needs to stand for both."""


def find_hot_line(lines: Counter[CodeLine], root: str = "") -> HotLine | None:
    """
    The line that most samples stood at; of equal ones the first by name.

    A short loop is as often seen at its head as in its body: then it is the line of the
    body, which says what is done. `root`: where the code of the job lies for us.
    """
    whole = sum(lines.values())
    if not whole:
        return None
    place, number = max(lines.items(), key=lambda pair: (pair[1], pair[0]))
    body = _find_loop_body(place, lines, root)
    if body is not None:
        place, number = body, lines[body] + number
    path, line, function = place
    return HotLine(path=relative_path(path), line=line, function=function, share=number / whole)


def _find_loop_body(place: CodeLine, lines: Counter[CodeLine], root: str) -> CodeLine | None:
    """The line below the head of a loop that nearly as many samples stood at."""
    path, head, function = place
    below = [
        other
        for other in lines
        if (other[0], other[2]) == (path, function) and head < other[1] <= head + _MAX_BODY_LINES
    ]
    best = max(below, key=lambda other: (lines[other], other), default=None)
    if best is None or lines[best] < _LIKE_SHARE * lines[place]:
        return None
    text, inner = read_line_text(root + path, head), read_line_text(root + path, best[1])
    is_inside = _measure_indent(inner) > _measure_indent(text)
    return best if _LOOP_PATTERN.match(text) and is_inside else None


def _measure_indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def relative_path(path: str) -> str:
    """A file below the working directory by its path from there."""
    here = os.getcwd().rstrip("/") + "/"  # noqa: PTH109
    return escape_path(path.removeprefix(here))
