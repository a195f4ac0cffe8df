"""Fill the example of an ill machine with what a log told of the real one."""

import re
from collections.abc import Callable
from typing import Any, cast

_HOLE = re.compile(r"\{(\w+)(?:\|([^{}]*))?\}")

Told = Callable[[str], str]


def filled(sections: dict[str, Any], told: Told) -> dict[str, Any]:
    """
    Put captured values into the holes; empty where the log left one open.

    A hole is ``{name}``, or ``{name|else}`` where any value does; a text that is
    nothing but a hole becomes a number where it reads as one.
    """
    try:
        return {name: _value(value, told) for name, value in sections.items()}
    except LookupError:
        return {}


def _value(value: object, told: Told) -> Any:
    if isinstance(value, dict):
        table = cast("dict[str, object]", value)
        return {key: _value(inner, told) for key, inner in table.items()}
    if isinstance(value, list):
        row = cast("list[object]", value)
        return [_value(inner, told) for inner in row]
    if not isinstance(value, str):
        return value
    text = _HOLE.sub(lambda hole: _told(hole, told), value)
    whole = _HOLE.fullmatch(value) is not None
    return int(text) if whole and text.isascii() and text.isdecimal() else text


def _told(hole: re.Match[str], told: Told) -> str:
    found = told(hole[1]) or hole[2]
    if found is None:
        raise LookupError(hole[1])
    return found
