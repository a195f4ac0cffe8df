"""Figures of different lines of one log, laid beside each other."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import prod

import msgspec

from pipedoctor.facts.log import Log, Seen

_MINUTES = re.compile(r"(\d{1,6})m(\d{1,3}(?:[.,]\d{1,6})?)s")
_THOUSANDTHS = re.compile(r"(\d{1,7})m")

Figures = Mapping[str, float]


class Comparison(msgspec.Struct, frozen=True):
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


class _Row(msgspec.Struct, frozen=True):
    """Figures that stand together."""

    figures: dict[str, float]
    line: int
    text: str


def holds(asked: Comparison, seen: Seen, log: Log) -> list[Seen]:
    """The lines that show it, none if it is not so."""
    rows = [*_captured(log.of(seen.cause)), *_found(asked.patterns, log.brief)]
    names = {name.removesuffix("?") for name in (*asked.more, *asked.than)}
    rows = [row for row in rows if names & row.figures.keys()]
    for row in rows:
        if _exceeds(asked, row.figures, row.figures):
            return _shown([row], seen)
    agree = _exceeds(asked, _extreme(rows, min), _extreme(rows, max))
    return _shown(rows, seen) if agree else []


def _exceeds(asked: Comparison, low: Figures, high: Figures) -> bool:
    needed = [name for name in asked.more if name[-1] != "?"]
    if not (low.keys() >= {*needed} and high.keys() >= {*asked.than}):
        return False
    product = prod(low.get(name.removesuffix("?"), 1.0) for name in asked.more)
    limit = prod(high[name] for name in asked.than)
    return product >= asked.least and product > asked.times * limit > 0


def _extreme(rows: Iterable[_Row], pick: Callable[[float, float], float]) -> Figures:
    """Of every figure the value that speaks least for it."""
    found: dict[str, float] = {}
    for row in rows:
        for name, value in row.figures.items():
            found[name] = pick(found.get(name, value), value)
    return found


def _captured(seen: Iterable[Seen]) -> Iterator[_Row]:
    for one in seen:
        figures = _figures(one.values)
        if figures:
            yield _Row(figures, one.line, one.text)


def _found(patterns: Iterable[str], text: str) -> Iterator[_Row]:
    for pattern in patterns:
        for match in re.finditer(pattern, text, re.MULTILINE):
            figures = _figures(match.groupdict())
            if figures:
                line = text.count("\n", 0, match.end()) + 1
                yield _Row(figures, line, match[0].rpartition("\n")[2])


def _figures(values: Mapping[str, str | None]) -> dict[str, float]:
    return {
        name.rstrip("0123456789"): number
        for name, text in values.items()
        if text and (number := _number(text)) is not None
    }


def _number(text: str) -> float | None:
    """``4``, the ``2m3.5s`` of `time`, the ``500m`` of Kubernetes; else nothing."""
    if match := _MINUTES.fullmatch(text):
        return 60 * int(match[1]) + float(match[2].replace(",", "."))
    if match := _THOUSANDTHS.fullmatch(text):
        return int(match[1]) / 1000
    try:
        return float(text)
    except ValueError:
        return None


def _shown(rows: Iterable[_Row], seen: Seen) -> list[Seen]:
    lines = {row.line: row.text.strip() for row in rows}
    return [
        msgspec.structs.replace(seen, line=line, text=text)
        for line, text in sorted(lines.items())
    ]
