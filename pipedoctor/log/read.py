"""Read a log once: every signature and every exception in it, in constant memory."""

from bisect import bisect
from collections.abc import Iterator
from itertools import accumulate, chain
from re import Match
from typing import BinaryIO

from msgspec.structs import replace

from pipedoctor.facts.log import Log, Seen
from pipedoctor.log.abroad import english, needles, words
from pipedoctor.log.legacy import in_utf8
from pipedoctor.log.places import Places
from pipedoctor.log.rising import doubles, rising
from pipedoctor.log.sieve import Sieve, shape
from pipedoctor.log.signatures import Book, Role, Rule, Signature
from pipedoctor.log.stream import blocks
from pipedoctor.log.tracebacks import Tracebacks
from pipedoctor.log.warned import Warned
from pipedoctor.log.wrapping import Line, bare, unwrapped

KEPT = 16
"""Sightings of one signature that are kept."""
WIDEST = 4000
"""Characters of a line that are searched at once."""
BRIEF, BRIEF_LINES = 16 << 10, 40
"""Bytes and lines of a log that is kept whole, in case that nothing in it is known."""
_OVERLAP = 400
_QUOTED = 500
_FAR, _BEFORE = 400, 60
"""Characters into a line that are too far to be seen, and those shown before."""
_KEYS = 64
"""Lines alike that are compared."""
_POINTS = 6
"""Lines that make a series."""
_FEW = 3
"""Numbers that are hardly a row: the last must be twice the first."""


def read(file: BinaryIO, book: Book) -> Log:
    """Read a whole stream; raises what the stream raises."""
    reader = _Reader(book)
    sieve = Sieve(book.words | words(), needles())
    number, brief, end = 1, b"", b"\n"
    for block, last in _with_last(in_utf8(blocks(file))):
        brief += block if len(brief) <= BRIEF else b""
        whole = block.replace(b"\r\n", b"\n")
        parts = whole.replace(b"\r", b"\n")
        picked = sieve.pick(parts, last=last)
        if picked:
            lines = parts.split(b"\n")
            for index, line in zip(picked, _lines_of(whole, picked), strict=True):
                reader.line(lines[index], number + line)
        number += block.count(b"\n")
        end = block[-1:] or end
    short = len(brief) <= BRIEF and number <= BRIEF_LINES
    text = brief.decode(errors="replace") if short else ""
    count = number - (end == b"\n")
    return replace(reader.log(count, brief=short), brief=text)


def _lines_of(block: bytes, parts: list[int]) -> list[int]:
    """In which line is each part, where carriage returns divide lines into parts?"""
    if b"\r" not in block:
        return parts
    ends = list(accumulate(line.count(b"\r") + 1 for line in block.split(b"\n")))
    return [bisect(ends, part) for part in parts]


def _with_last(source: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    before: bytes | None = None
    for block in source:
        if before is not None:
            yield before, False
        before = block
    if before is not None:
        yield before, True


class _Reader:
    def __init__(self, book: Book) -> None:
        self._book = book
        self._seen: dict[str, list[Seen]] = {}
        self._tails: dict[str, dict[str, Seen]] = {}
        self._series: dict[str, list[float]] = {}
        self._ends: dict[str, Seen] = {}
        """Where each series ended."""
        self._various: set[str] = set()
        """Series whose lines say more than a number: steps of a start, it may be."""
        self._tracebacks = Tracebacks()
        self._warned = Warned()
        self._places = Places()

    def line(self, data: bytes, number: int) -> None:
        """Read one line, or the many that are wrapped in it."""
        for text in unwrapped(data.decode(errors="replace")):
            for part in _windows(text):
                self._places.read(part)
                line = bare(part)
                quoted = self._tracebacks.read(line, number)
                self._match(line, number, quoted=quoted)

    def log(self, number: int, *, brief: bool) -> Log:
        """Everything that was read; of a brief log a few readings are a series."""
        for promise, line, at in self._tracebacks.cut():
            self._foretold(f"{promise.kind}: {promise.message}", line, at)
        for key, row in self._series.items() if brief else ():
            few = _FEW <= len(row) < _POINTS and key not in self._various
            if few and doubles(row):
                self._seen.setdefault(key, []).append(self._ends[key])
        seen = sorted(chain.from_iterable(self._seen.values()), key=lambda s: s.line)
        return Log(
            lines=number,
            seen=tuple(seen),
            raised=tuple(self._tracebacks.raised),
            place=self._places.place(),
        )

    def _match(self, line: Line, number: int, *, quoted: bool) -> None:
        """Find signatures; code that a traceback quotes is no more than evidence."""
        warned = self._warned.read(line)
        for rule, match in self._found(english(line.text)):
            if quoted and rule.signature.role is not Role.EVIDENCE:
                continue
            found = {name: value for name, value in match.groupdict().items() if value}
            near = replace(line, text=_around(line.text, match.start()))
            seen = replace(_seen(rule, near, number, found), warned=warned)
            if self._holds(rule, seen):
                self._seen.setdefault(rule.key, []).append(seen)

    def _foretold(self, message: str, line: Line, number: int) -> None:
        """Find signatures in what was never printed: it has no values."""
        for rule, _ in self._found(message):
            if not _asks(rule.signature):
                seen = _seen(rule, line, number, {})
                self._seen.setdefault(rule.key, []).append(seen)

    def _found(self, text: str) -> Iterator[tuple[Rule, Match[str]]]:
        """The rules that match, and have not often enough."""
        shaped = shape(text.encode(errors="replace")).decode().split()
        for rule in self._book.candidates(shaped):
            if len(self._seen.get(rule.key, ())) < KEPT:
                match = rule.search.search(text)
                if match is not None:
                    yield rule, match

    def _holds(self, rule: Rule, seen: Seen) -> bool:
        """Do the captured values say what the signature asks of them?"""
        signature = rule.signature
        if signature.ratio is not None:
            part = _number(seen.values.get(signature.ratio.part, ""))
            whole = _number(seen.values.get(signature.ratio.whole, ""))
            return part > 0 and part >= signature.ratio.least * whole
        if signature.series:
            before = self._ends.get(rule.key)
            if before is not None and _said(before) != _said(seen):
                self._various.add(rule.key)
            self._ends[rule.key] = seen
            return self._climbs(rule.key, _number(seen.values["series"]))
        if signature.rising:
            return _rises(seen.values.get("rising", ""))
        return not signature.alike or self._alike(rule.key, seen)

    def _climbs(self, key: str, value: float) -> bool:
        """Has it risen, steadily enough, over the lines so far?"""
        row = self._series.setdefault(key, [])
        row.append(value)
        if len(row) > _KEYS:
            del row[1:2]
        return len(row) >= _POINTS and rising(row)

    def _alike(self, key: str, seen: Seen) -> bool:
        """Has another one said the same before?"""
        tails = self._tails.setdefault(key, {})
        tail = " ".join(seen.values["tail"].partition(" # ")[0].split())
        before = tails.get(tail)
        if before is None:
            if len(tails) >= _KEYS:  # those who share it stand close to one another
                del tails[next(iter(tails))]
            tails[tail] = seen
            return False
        return before.values["key"] != seen.values["key"]


def _seen(rule: Rule, line: Line, number: int, found: dict[str, str]) -> Seen:
    return Seen(
        signature=rule.key,
        line=number,
        text=line.text.strip()[:_QUOTED],
        rank=line.rank,
        time=line.time,
        values=found,
    )


def _around(text: str, start: int) -> str:
    """The line, or of a long one the part in which somebody found something."""
    return f"...{text[start - _BEFORE :]}" if start > _FAR else text


def _said(seen: Seen) -> list[bytes]:
    return shape(seen.text.encode(errors="replace")).split()


def _asks(signature: Signature) -> bool:
    """Does it want to know values before it holds?"""
    numbers = signature.ratio is not None or signature.rising or signature.series
    return numbers or signature.alike


def _windows(text: str) -> Iterator[str]:
    """A line in pieces that can be searched; they overlap."""
    if len(text) <= WIDEST:
        yield text
        return
    for start in range(0, len(text), WIDEST - _OVERLAP):
        yield text[start : start + WIDEST]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _rises(text: str) -> bool:
    """Do the numbers rise? Of sizes and steps the sizes; three of them must double."""
    import re  # noqa: PLC0415  (few logs hold such rows)

    sizes = re.findall(r"(\d+(?:\.\d+)?) ?[KMGT]i?B", text)
    row = [float(n) for n in sizes or re.findall(r"\d+(?:\.\d+)?", text)]
    few = len(row) == _FEW and row[-1] >= 2 * row[0]
    return (few or len(row) > _FEW) and rising(row)
