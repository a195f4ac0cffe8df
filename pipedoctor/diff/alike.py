"""Are two values the same, though one was redacted or both were, each by itself?"""

import functools
import re
from typing import cast

import msgspec

from pipedoctor import forms
from pipedoctor.diff.wanted import Wanted, fits

_Table = dict[str, object]
_ALIAS = re.compile(r"<([a-z]{2,16})(?:-[0-9a-z]{1,32})?>")
_NARROW = frozenset(("user", "host", "ip", "mac", "uuid", "serial"))
"""Aliases of names, which hold no slash; any other may stand for a path."""
_LONGEST = 1024
_MANY = 200
"""Entries of a list that are compared with each other in pairs."""
_MOST = 8
"""Aliases in one text that are looked into; more are compared by their kinds."""


def alike(one: object, other: object, near: float = 0.0) -> bool:
    """Nothing that anybody could act on tells them apart."""
    if isinstance(one, Wanted) or isinstance(other, Wanted):
        return fits(one, other)
    if isinstance(one, dict) and isinstance(other, dict):
        return _tables(cast("_Table", one), cast("_Table", other), near)
    if isinstance(one, str) and isinstance(other, str):
        return _texts(one, other)
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return _numbers(one, other, near)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        mine, yours = cast("list[object]", one), cast("list[object]", other)
        return len(mine) == len(yours) and _bags(mine, yours, near)
    return one is other


def _tables(here: _Table, there: _Table, near: float) -> bool:
    return here.keys() == there.keys() and all(
        alike(value, there[key], near) for key, value in here.items()
    )


def plain(text: str) -> str:
    """The text with every name that a redactor might replace replaced by its kind."""
    if "<" in text:
        text = _ALIAS.sub(r"<\1>", text)
    if "/" not in text and "\\" not in text and "~" not in text:
        return text  # no home: most names are
    return forms.HOME.sub(_home, text)


def _home(match: re.Match[str]) -> str:
    return match[0] if match[2] == "root" else f"{match[1]}<user>"


def _numbers(one: float, other: float, near: float) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other or abs(one - other) <= near * max(abs(one), abs(other))


@functools.lru_cache(maxsize=1024)
def _texts(one: str, other: str) -> bool:
    """Remembered: the folders of all packages of two machines are the same pair."""
    if one == other:
        return True
    if "<" not in one and "<" not in other:
        return False
    if not (_ALIAS.search(one) or _ALIAS.search(other)):
        return False
    if _ALIAS.sub(r"<\1>", one) == _ALIAS.sub(r"<\1>", other):
        return True
    return _covers(one, other) or _covers(other, one) or _by_parts(one, other)


def _by_parts(one: str, other: str) -> bool:
    """Aliases stand at different places: compare what lies between separators."""
    mine, yours = re.split(r"([/\\:@,;=\s])", one), re.split(r"([/\\:@,;=\s])", other)
    return len(mine) == len(yours) and all(
        a == b or _covers(a, b) or _covers(b, a)
        for a, b in zip(mine, yours, strict=True)
    )


def _covers(pattern: str, text: str) -> bool:
    """Is the text what the pattern says, with something in place of each alias?"""
    pieces = _ALIAS.split(pattern)
    literals, kinds = pieces[::2], pieces[1::2]
    if not kinds or len(kinds) > _MOST or len(text) > _LONGEST:
        return False
    if not text.startswith(literals[0]):
        return False
    ends = {len(literals[0])}
    for kind, literal in zip(kinds, literals[1:], strict=True):
        ends = _reached(ends, text, literal, narrow=kind in _NARROW)
    return len(text) in ends


def _reached(begins: set[int], text: str, literal: str, *, narrow: bool) -> set[int]:
    """Where one alias, at least a letter long, and this literal may end."""
    found: set[int] = set()
    open_ = False
    for at in range(len(text) + 1):
        if open_ and text.startswith(literal, at):
            found.add(at + len(literal))
        open_ = open_ or at in begins
        if narrow and at < len(text) and text[at] in "/\\":
            open_ = False
    return found


def _bags(one: list[object], other: list[object], near: float) -> bool:
    """The same entries in any order."""
    if one == other or sorted(map(canonical, one)) == sorted(map(canonical, other)):
        return True
    if len(one) > _MANY:
        return False
    rest = list(other)
    for item in one:
        at = next((i for i, there in enumerate(rest) if alike(item, there, near)), None)
        if at is None:
            return False
        del rest[at]
    return True


def canonical(value: object) -> str:
    """Text that is the same for values that differ in order and aliases alone."""
    if isinstance(value, str):
        return plain(value)
    return plain(msgspec.json.encode(value, order="sorted", enc_hook=str).decode())
