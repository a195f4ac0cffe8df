"""A notebook whose cells change while every other byte of its JSON stays."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_WHITESPACE = re.compile(r"[ \t\r\n]*")
_LINE_PATTERN = re.compile(r"[^\n]*\n|[^\n]+")


class InexactEditError(Exception):
    """The edit would change more than it says, so it is not made; says why."""


@dataclass(frozen=True)
class JsonString:
    """A string of the JSON: where it stands, quotes and all, and what it says."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class NotebookText:
    """A notebook: its bytes, and for each code cell the strings of its source."""

    raw: bytes
    cells: tuple[tuple[JsonString, ...], ...]

    @classmethod
    def read(cls, raw: bytes) -> "NotebookText":
        """Find the cells; raises InexactEditError for what is no notebook."""
        try:
            text = raw.decode()
            cells = tuple(_find_code_cells(text))
        except (UnicodeDecodeError, ValueError, IndexError, RecursionError) as error:
            message = f"not a notebook: {error}"
            raise InexactEditError(message) from None
        return cls(raw, cells)

    def get_source(self, number: int) -> str:
        """The source of a code cell; they count from 1."""
        return "".join(piece.text for piece in self.cells[number - 1])

    def with_source(self, number: int, source: str) -> "NotebookText":
        """The notebook with another source in this cell; raises InexactEditError."""
        pieces = self.cells[number - 1]
        lines = _LINE_PATTERN.findall(source) if len(pieces) != 1 else [source]
        text = self.raw.decode()
        if len(lines) == len(pieces):
            for piece, line in reversed(list(zip(pieces, lines, strict=True))):
                if piece.text != line:
                    new = _encode_string(text[piece.start : piece.end], piece.text, line)
                    text = text[: piece.start] + new + text[piece.end :]
        else:
            text = _replace_strings(text, pieces, lines)
        changed = NotebookText.read(text.encode())
        same = [c for n, c in enumerate(self.list_sources(), 1) if n != number]
        now = [c for n, c in enumerate(changed.list_sources(), 1) if n != number]
        if same != now or changed.get_source(number) != source:
            message = f"cell {number} cannot be written back exactly"
            raise InexactEditError(message)
        return changed

    def list_sources(self) -> list[str]:
        """The source of every code cell."""
        return [self.get_source(n) for n in range(1, len(self.cells) + 1)]


def _encode_string(old: str, text: str, line: str) -> str:
    """A string as JSON, escaped as the old one is; raises InexactEditError."""
    for ascii_only in (False, True):
        if json.dumps(text, ensure_ascii=ascii_only) == old:
            return json.dumps(line, ensure_ascii=ascii_only)
    message = "its JSON escapes characters in an unusual way"
    raise InexactEditError(message)


def _replace_strings(text: str, pieces: tuple[JsonString, ...], lines: list[str]) -> str:
    """A list with more or fewer strings, between which stands what stood there."""
    if not pieces or len(pieces) == 1:
        message = "a cell of one line would become several"
        raise InexactEditError(message)
    between = text[pieces[0].end : pieces[1].start]
    old = [text[piece.start : piece.end] for piece in pieces]
    known = {piece.text: raw for piece, raw in zip(pieces, old, strict=True)}
    new = [known.get(line) or _encode_string(old[0], pieces[0].text, line) for line in lines]
    return text[: pieces[0].start] + between.join(new) + text[pieces[-1].end :]


def _find_code_cells(text: str) -> Iterator[tuple[JsonString, ...]]:
    for key, start in _iterate_members(text, _skip_whitespace(text, 0)):
        if key == "cells":
            for item in _iterate_items(text, start):
                members = dict(_iterate_members(text, item))
                kind = members.get("cell_type")
                if kind is not None and _decode_value(text, kind)[0] == "code":
                    yield tuple(_find_source_strings(text, members.get("source")))


def _find_source_strings(text: str, start: int | None) -> Iterator[JsonString]:
    if start is None:
        return
    places = _iterate_items(text, start) if text[start] == "[" else iter((start,))
    for at in places:
        decoded, end = _decode_value(text, at)
        if not isinstance(decoded, str):
            message = "a source that is not text"
            raise ValueError(message)  # noqa: TRY004  (told as any other fault)
        yield JsonString(at, end, decoded)


def _iterate_members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """The keys of an object, and where their values begin."""
    if text[at] != "{":
        message = "an object is missing"
        raise ValueError(message)
    at = _skip_whitespace(text, at + 1)
    while text[at] != "}":
        key, at = _decode_value(text, at)
        at = _skip_whitespace(text, _skip_whitespace(text, at) + 1)
        yield key, at
        at = _skip_whitespace(text, _decode_value(text, at)[1])
        at = _skip_whitespace(text, at + 1) if text[at] == "," else at


def _iterate_items(text: str, at: int) -> Iterator[int]:
    """Where the items of a list begin."""
    if text[at] != "[":
        message = "a list is missing"
        raise ValueError(message)
    at = _skip_whitespace(text, at + 1)
    while text[at] != "]":
        yield at
        at = _skip_whitespace(text, _decode_value(text, at)[1])
        at = _skip_whitespace(text, at + 1) if text[at] == "," else at


def _decode_value(text: str, at: int) -> tuple[Any, int]:
    return json.JSONDecoder().raw_decode(text, at)


def _skip_whitespace(text: str, at: int) -> int:
    found = _WHITESPACE.match(text, at)
    return found.end() if found else at
