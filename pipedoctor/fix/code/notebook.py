"""A notebook whose cells change while every other byte of its JSON stays."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_BLANK = re.compile(r"[ \t\r\n]*")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class NotKept(Exception):  # noqa: N818  (a decision, not an error)
    """The edit would change more than it says, so it is not made; says why."""


@dataclass(frozen=True)
class Piece:
    """A string of the JSON: where it stands, quotes and all, and what it says."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Sheet:
    """A notebook: its bytes, and for each code cell the strings of its source."""

    raw: bytes
    cells: tuple[tuple[Piece, ...], ...]

    @classmethod
    def read(cls, raw: bytes) -> "Sheet":
        """Find the cells; raises NotKept for what is no notebook."""
        try:
            text = raw.decode()
            cells = tuple(_code_cells(text))
        except (UnicodeDecodeError, ValueError, IndexError, RecursionError) as error:
            message = f"no notebook: {error}"
            raise NotKept(message) from None
        return cls(raw, cells)

    def cell(self, number: int) -> str:
        """The source of a code cell; they count from 1."""
        return "".join(piece.text for piece in self.cells[number - 1])

    def with_cell(self, number: int, source: str) -> "Sheet":
        """The notebook with another source in this cell; raises NotKept."""
        pieces = self.cells[number - 1]
        lines = _LINE.findall(source) if len(pieces) != 1 else [source]
        text = self.raw.decode()
        if len(lines) == len(pieces):
            for piece, line in reversed(list(zip(pieces, lines, strict=True))):
                if piece.text != line:
                    new = _written(text[piece.start : piece.end], piece.text, line)
                    text = text[: piece.start] + new + text[piece.end :]
        else:
            text = _relisted(text, pieces, lines)
        changed = Sheet.read(text.encode())
        same = [c for n, c in enumerate(self.sources(), 1) if n != number]
        now = [c for n, c in enumerate(changed.sources(), 1) if n != number]
        if same != now or changed.cell(number) != source:
            message = f"cell {number} cannot be written back exactly"
            raise NotKept(message)
        return changed

    def sources(self) -> list[str]:
        """The source of every code cell."""
        return [self.cell(n) for n in range(1, len(self.cells) + 1)]


def _written(old: str, said: str, line: str) -> str:
    """A string as JSON, escaped as the old one is; raises NotKept."""
    for ascii_only in (False, True):
        if json.dumps(said, ensure_ascii=ascii_only) == old:
            return json.dumps(line, ensure_ascii=ascii_only)
    message = "its JSON escapes characters in a way of its own"
    raise NotKept(message)


def _relisted(text: str, pieces: tuple[Piece, ...], lines: list[str]) -> str:
    """A list with more or fewer strings, between which stands what stood there."""
    if not pieces or len(pieces) == 1:
        message = "a cell of one line would become several"
        raise NotKept(message)
    between = text[pieces[0].end : pieces[1].start]
    old = [text[piece.start : piece.end] for piece in pieces]
    known = {piece.text: raw for piece, raw in zip(pieces, old, strict=True)}
    new = [known.get(line) or _written(old[0], pieces[0].text, line) for line in lines]
    return text[: pieces[0].start] + between.join(new) + text[pieces[-1].end :]


def _code_cells(text: str) -> Iterator[tuple[Piece, ...]]:
    for key, start in _members(text, _blank(text, 0)):
        if key == "cells":
            for item in _items(text, start):
                members = dict(_members(text, item))
                kind = members.get("cell_type")
                if kind is not None and _value(text, kind)[0] == "code":
                    yield tuple(_source(text, members.get("source")))


def _source(text: str, start: int | None) -> Iterator[Piece]:
    if start is None:
        return
    places = _items(text, start) if text[start] == "[" else iter((start,))
    for at in places:
        said, end = _value(text, at)
        if not isinstance(said, str):
            message = "a source that is no text"
            raise ValueError(message)  # noqa: TRY004  (told as any other fault)
        yield Piece(at, end, said)


def _members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """The keys of an object, and where their values begin."""
    if text[at] != "{":
        message = "an object is missing"
        raise ValueError(message)
    at = _blank(text, at + 1)
    while text[at] != "}":
        key, at = _value(text, at)
        at = _blank(text, _blank(text, at) + 1)
        yield key, at
        at = _blank(text, _value(text, at)[1])
        at = _blank(text, at + 1) if text[at] == "," else at


def _items(text: str, at: int) -> Iterator[int]:
    """Where the items of a list begin."""
    if text[at] != "[":
        message = "a list is missing"
        raise ValueError(message)
    at = _blank(text, at + 1)
    while text[at] != "]":
        yield at
        at = _blank(text, _value(text, at)[1])
        at = _blank(text, at + 1) if text[at] == "," else at


def _value(text: str, at: int) -> tuple[Any, int]:
    return json.JSONDecoder().raw_decode(text, at)


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
