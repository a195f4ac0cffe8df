"""Are two values the same, though one was redacted or both were, each by itself?"""

import functools
import re
from typing import cast

import msgspec

from pipedoctor.diff.required_packages import RequestedVersion, is_satisfied
from pipedoctor.privacy import patterns

_FieldTable = dict[str, object]
_ALIAS = re.compile(r"<([a-z]{2,16})(?:-[0-9a-z]{1,32})?>")
_SLASH_FREE_KINDS = frozenset(("user", "host", "ip", "mac", "uuid", "serial"))
"""Aliases of names, which hold no slash; any other may stand for a path."""
_MAX_TEXT = 1024
_MAX_PAIRED = 200
"""Entries of a list that are compared with each other in pairs."""
_MAX_ALIASES = 8
"""Aliases in one text that are looked into; more are compared by their kinds."""


def is_equivalent(one: object, other: object, near: float = 0.0) -> bool:
    """Are two values the same to a reader, apart from aliases, order and tolerance?"""
    if isinstance(one, RequestedVersion) or isinstance(other, RequestedVersion):
        return is_satisfied(one, other)
    if isinstance(one, dict) and isinstance(other, dict):
        return _is_same_table(cast("_FieldTable", one), cast("_FieldTable", other), near)
    if isinstance(one, str) and isinstance(other, str):
        return _is_same_text(one, other)
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return _is_near(one, other, near)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        mine, yours = cast("list[object]", one), cast("list[object]", other)
        return len(mine) == len(yours) and _is_same_multiset(mine, yours, near)
    return one is other


def _is_same_table(one: _FieldTable, other: _FieldTable, near: float) -> bool:
    return one.keys() == other.keys() and all(
        is_equivalent(value, other[key], near) for key, value in one.items()
    )


def replace_names(text: str) -> str:
    """The text with every name that a redactor might replace replaced by its kind."""
    if "<" in text:
        text = _ALIAS.sub(r"<\1>", text)
    if "/" not in text and "\\" not in text and "~" not in text:
        return text  # no home: most names are
    return patterns.HOME.replace_matches(_replace_home, text)


def _replace_home(match: re.Match[str]) -> str:
    return match[0] if match["name"] == "root" else f"{match[1]}<user>"


def _is_near(one: float, other: float, near: float) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other or abs(one - other) <= near * max(abs(one), abs(other))


@functools.lru_cache(maxsize=1024)
def _is_same_text(one: str, other: str) -> bool:
    """Remembered: the folders of all packages of two machines are the same pair."""
    if one == other:
        return True
    if "<" not in one and "<" not in other:
        return False
    if not (_ALIAS.search(one) or _ALIAS.search(other)):
        return False
    if _ALIAS.sub(r"<\1>", one) == _ALIAS.sub(r"<\1>", other):
        return True
    return _is_covered(one, other) or _is_covered(other, one) or _is_same_by_parts(one, other)


def _is_same_by_parts(one: str, other: str) -> bool:
    """Aliases stand at different places: compare what lies between separators."""
    mine, yours = re.split(r"([/\\:@,;=\s])", one), re.split(r"([/\\:@,;=\s])", other)
    return len(mine) == len(yours) and all(
        a == b or _is_covered(a, b) or _is_covered(b, a) for a, b in zip(mine, yours, strict=True)
    )


def _is_covered(pattern: str, text: str) -> bool:
    """Is the text what the pattern says, with something in place of each alias?"""
    pieces = _ALIAS.split(pattern)
    literals, kinds = pieces[::2], pieces[1::2]
    if not kinds or len(kinds) > _MAX_ALIASES or len(text) > _MAX_TEXT:
        return False
    if not text.startswith(literals[0]):
        return False
    ends = {len(literals[0])}
    for kind, literal in zip(kinds, literals[1:], strict=True):
        ends = _find_ends(ends, text, literal, narrow=kind in _SLASH_FREE_KINDS)
    return len(text) in ends


def _find_ends(begins: set[int], text: str, literal: str, *, narrow: bool) -> set[int]:
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


def _is_same_multiset(one: list[object], other: list[object], near: float) -> bool:
    """The same entries in any order."""
    if one == other or sorted(map(to_canonical, one)) == sorted(map(to_canonical, other)):
        return True
    if len(one) > _MAX_PAIRED:
        return False
    rest = list(other)
    for item in one:
        at = next(
            (i for i, there in enumerate(rest) if is_equivalent(item, there, near)),
            None,
        )
        if at is None:
            return False
        del rest[at]
    return True


def to_canonical(value: object) -> str:
    """Text that is the same for values that differ in order and aliases alone."""
    if isinstance(value, str):
        return replace_names(value)
    return replace_names(msgspec.json.encode(value, order="sorted", enc_hook=str).decode())
