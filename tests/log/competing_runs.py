r"""
Find patterns in which two long runs of the same letters stand side by side: ``\w+\d*``.

Where the rest does not match, each end of the first run is tried with each end of the
second: the time grows with the square of a line.
"""

import importlib
import re
import sys
from typing import Any

_parser: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
_SIGNS = frozenset(map(chr, range(32, 127)))
_LONG = 400
"""Repeats that may be longer can cover a line."""
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")
_CLASSES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}


def find_competing_runs(pattern: str) -> list[str]:
    """The letters that two neighbours share, for each such pair."""
    found: list[str] = []
    _visit(_parser.parse(pattern), found)
    return found


def _visit(items: Any, found: list[str]) -> None:
    before: frozenset[str] = frozenset()
    for kind, value in items:
        name = str(kind)
        if name in _REPEATS and value[1] > _LONG and (signs := _list_signs(value[2])):
            if before & signs:
                found.append("".join(sorted(before & signs)))
            before = signs if value[0] else before | signs
        elif not (name in {"AT", "ASSERT", "ASSERT_NOT"} or (name in _REPEATS and not value[0])):
            before = frozenset()  # something stands between them
        for part in _list_parts(name, value):
            _visit(part, found)


def _list_parts(name: str, value: Any) -> list[Any]:
    if name == "SUBPATTERN":
        return [value[3]]
    if name == "BRANCH":
        return list(value[1])
    if name in _REPEATS:
        return [value[2]]
    return [value[1]] if name in {"ASSERT", "ASSERT_NOT"} else []


def _list_signs(items: Any) -> frozenset[str]:
    """What one round of a repeat may take; empty where it is more than one sign."""
    if len(items) != 1:
        return frozenset()
    kind, value = items[0]
    name = str(kind)
    if name == "SUBPATTERN":
        return _list_signs(value[3])
    if name == "ANY":
        return _SIGNS
    if name in {"LITERAL", "NOT_LITERAL"}:
        return frozenset(chr(value)) if name == "LITERAL" else _SIGNS - {chr(value)}
    if name != "IN":
        return frozenset()
    signs = frozenset(sign for part, what in value for sign in _list_members(str(part), what))
    return _SIGNS - signs if str(value[0][0]) == "NEGATE" else signs


def _list_members(name: str, value: Any) -> list[str]:
    if name == "LITERAL":
        return [chr(value)]
    if name == "RANGE":
        return [sign for sign in _SIGNS if value[0] <= ord(sign) <= value[1]]
    if name == "CATEGORY":
        return [sign for sign in _SIGNS if re.match(_CLASSES[str(value)], sign)]
    return []
