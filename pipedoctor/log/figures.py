"""Figures of different lines of one log, laid beside each other."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import prod

import msgspec

from pipedoctor.facts.log import Log, Seen

_MINUTES = re.compile(r"(\d{1,6})m(\d{1,3}(?:[.,]\d{1,6})?)s")
_THOUSANDTHS = re.compile(r"(\d{1,7})m")

FigureValues = Mapping[str, float]


class FigureComparison(msgspec.Struct, frozen=True):
    """
    The product of the figures `more` is above `times` the product of `than`.

    Figures are what signatures of the same cause captured under these names (digits
    at the end of a name do not count), and, in a short log, what `patterns` find in
    it as a whole: a number under the command that asked for it. ``ranks?`` is 1 where
    nobody says it. Where a figure has several values, all of them have to agree.
    """

    more: tuple[str, ...]
    than: tuple[str, ...]
    times: float = 1.0
    least: float = 0.0
    """The product of `more` below which nothing is said."""
    patterns: tuple[str, ...] = ()


class _FigureRow(msgspec.Struct, frozen=True):
    """Figures that stand together."""

    figures: dict[str, float]
    line: int
    text: str


def find_comparison_lines(comparison: FigureComparison, match: Seen, log: Log) -> list[Seen]:
    """The lines that show it, none if it is not so."""
    rows = [
        *_read_captures(log.find_seen(match.cause)),
        *_search_patterns(comparison.patterns, log.brief),
    ]
    names = {name.removesuffix("?") for name in (*comparison.more, *comparison.than)}
    rows = [row for row in rows if names & row.figures.keys()]
    for row in rows:
        if _is_exceeded(comparison, row.figures, row.figures):
            return _quote_rows([row], match)
    agree = _is_exceeded(comparison, _pick_extremes(rows, min), _pick_extremes(rows, max))
    return _quote_rows(rows, match) if agree else []


def _is_exceeded(comparison: FigureComparison, low: FigureValues, high: FigureValues) -> bool:
    needed = [name for name in comparison.more if name[-1] != "?"]
    if not (low.keys() >= {*needed} and high.keys() >= {*comparison.than}):
        return False
    product = prod(low.get(name.removesuffix("?"), 1.0) for name in comparison.more)
    limit = prod(high[name] for name in comparison.than)
    return product >= comparison.least and product > comparison.times * limit > 0


def _pick_extremes(
    rows: Iterable[_FigureRow], pick: Callable[[float, float], float]
) -> FigureValues:
    """Of every figure the value that speaks least for it."""
    found: dict[str, float] = {}
    for row in rows:
        for name, value in row.figures.items():
            found[name] = pick(found.get(name, value), value)
    return found


def _read_captures(matches: Iterable[Seen]) -> Iterator[_FigureRow]:
    for one in matches:
        figures = _parse_figures(one.values)
        if figures:
            yield _FigureRow(figures, one.line, one.text)


def _search_patterns(patterns: Iterable[str], text: str) -> Iterator[_FigureRow]:
    for pattern in patterns:
        for match in re.finditer(pattern, text, re.MULTILINE):
            figures = _parse_figures(match.groupdict())
            if figures:
                line = text.count("\n", 0, match.end()) + 1
                yield _FigureRow(figures, line, match[0].rpartition("\n")[2])


def _parse_figures(values: Mapping[str, str | None]) -> dict[str, float]:
    return {
        name.rstrip("0123456789"): number
        for name, text in values.items()
        if text and (number := _parse_number(text)) is not None
    }


def _parse_number(text: str) -> float | None:
    """``4``, the ``2m3.5s`` of `time`, the ``500m`` of Kubernetes; else nothing."""
    if match := _MINUTES.fullmatch(text):
        return 60 * int(match[1]) + float(match[2].replace(",", "."))
    if match := _THOUSANDTHS.fullmatch(text):
        return int(match[1]) / 1000
    try:
        return float(text)
    except ValueError:
        return None


def _quote_rows(rows: Iterable[_FigureRow], match: Seen) -> list[Seen]:
    lines = {row.line: row.text.strip() for row in rows}
    return [
        msgspec.structs.replace(match, line=line, text=text) for line, text in sorted(lines.items())
    ]
