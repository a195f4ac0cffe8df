"""The lines of code around a finding, with what it means underlined."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from pipedoctor.check import Location
from pipedoctor.report.plain_wrap import crop_cells, measure_cells
from pipedoctor.report.sentences import clean_text

TAB_WIDTH = 4


class SourceFrame(msgspec.Struct, frozen=True):
    """Some consecutive lines of a file; the first has the number `first`, from 1."""

    first: int
    lines: tuple[str, ...]

    @classmethod
    def from_line(cls, lines: Sequence[str], number: int, context: int) -> "SourceFrame":
        """A line, and so many before and after it; blank ones at the edges are left out."""
        first, last = max(1, number - context), min(len(lines), number + context)
        while first < number and not lines[first - 1].strip():
            first += 1
        while last > number and not lines[last - 1].strip():
            last -= 1
        return cls(first, tuple(lines[first - 1 : last]))


SourceFrames: TypeAlias = Mapping[tuple[str, int], SourceFrame]
"""By the path and line of a finding."""


def render_frame(frame: SourceFrame, spot: Location, width: int) -> Iterator[str]:
    """The frame as text no wider than `width`: numbers, a bar, code; carets below."""
    last = frame.first + len(frame.lines) - 1
    digits = len(str(last))
    yield f"{'':>{digits}} |"
    for number, line in enumerate(frame.lines, frame.first):
        text = f"{number:>{digits}} | {_show(line)}".rstrip()
        yield text if measure_cells(text) <= width else f"{crop_cells(text, width - 3)}..."
        if number == spot.line:
            indent, length = _measure_span(line, spot)
            room = width - digits - 3 - indent
            if room > 0:
                yield f"{'':>{digits}} | {' ' * indent}{'^' * min(length, room)}"
    yield f"{'':>{digits}} |"


def _show(text: str) -> str:
    return clean_text(text.expandtabs(TAB_WIDTH))


def _measure_span(line: str, spot: Location) -> tuple[int, int]:
    """Where the carets begin and how many there are, in cells of the terminal."""
    code = line.rstrip()
    begin = min(spot.column - 1, len(code))
    ends_here = spot.end_column is not None and spot.end_line in {None, spot.line}
    end = spot.end_column - 1 if ends_here and spot.end_column else len(code)
    before, whole = (
        measure_cells(_show(line[:begin])),
        measure_cells(_show(line[: max(begin, end)])),
    )
    return before, max(1, whole - before)
