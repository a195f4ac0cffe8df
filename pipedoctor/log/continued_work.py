"""Work that goes on past a failure: the same rows before and behind it, with rising numbers."""

import re
from collections.abc import Iterator

from pipedoctor.facts.log import WorkSpan
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.log.line_filter import compute_shape
from pipedoctor.log.line_prefixes import strip_prefixes
from pipedoctor.log.progress import counts_work, split_tail, tells_failure

_NUMBER = re.compile(r"(?<![\d.:,/-])\d{1,9}(?!\d|[.:,-]\d)")
"""A count: no part of a fraction, a time or a date."""
_ALL = compile_lazily(r"(?<![\d.])([1-9]\d{0,8}) ?/ ?\1(?![\d.])")
"""The last of so many."""
_Row = tuple[int, tuple[int, ...], bool]
"""The number of a row, what it counts, and whether that is all there is."""


def find_work_spans(tail: bytes, lines: int) -> tuple[WorkSpan, ...]:
    """
    Where the same work goes on, in the end of a log of so many lines.

    None, if something has failed behind the last row of it, or if nothing works.
    """
    rows = split_tail(tail)
    series: dict[tuple[str, bytes], list[_Row]] = {}
    end = 0
    first = lines - len(rows) + 1
    for number, row in enumerate(rows, first):
        line = strip_prefixes(row.rpartition("\r")[2] or row)
        if counts_work(line.text):
            shape = b" ".join(compute_shape(line.text.encode()).split())
            found = (number, _read_counts(line.text), bool(_ALL.search(line.text)))
            series.setdefault((line.rank, shape), []).append(found)
        elif tells_failure(row):
            end = number
    return tuple(
        span
        for (rank, _), one in series.items()
        if one[-1][0] > end
        for span in _find_spans(rank, one, cut=first > 1)
    )


def _read_counts(text: str) -> tuple[int, ...]:
    return tuple(int(one[0]) for one in _NUMBER.finditer(text))


def _find_spans(rank: str, rows: list[_Row], *, cut: bool) -> Iterator[WorkSpan]:
    """The last rows whose numbers rise, from the first up to the last but one."""
    start = len(rows) - 1
    while start and rows[start - 1][1] <= rows[start][1]:
        start -= 1
    number, most, is_all = rows[-1]
    fewer = [row[0] for row in rows[start:] if row[1] < most]
    last = number if is_all else max(fewer, default=0)
    if last:
        first = 0 if cut and not start else rows[start][0]
        yield WorkSpan(rank=rank, first=first, last=last)
