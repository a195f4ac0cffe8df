"""Fill the example of an ill machine with what a log told of the real one."""

import re
from collections.abc import Callable
from typing import Any, cast

_PLACEHOLDER = re.compile(r"(?<!\$)\{([a-z][a-z_.]*)(?:\|([^{}]*))?\}")

CapturedLookup = Callable[[str], str]
ValueWriter = Callable[[str, str, str], str]
"""Of a name, its value, and the text in front of the hole."""


def _as_it_is(_name: str, value: str, _before: str) -> str:
    return value


def fill_placeholders(sections: dict[str, Any], lookup: CapturedLookup) -> dict[str, Any]:
    """
    Put captured values into the holes; empty where the log left one open.

    A hole is ``{name}``, or ``{name|else}`` where any value does, with more names
    between the two where others may have it; ``{name|other|!}`` is open without both.
    A text that is nothing but a hole becomes a number where it reads as one.
    """
    try:
        return {name: _fill_value(value, lookup) for name, value in sections.items()}
    except LookupError:
        return {}


def fill_text(text: str, lookup: CapturedLookup, write: ValueWriter = _as_it_is) -> str:
    """
    Put captured values into the holes of a text, each as `write` has it behind what precedes.

    Raises LookupError for an open hole.
    """
    return _PLACEHOLDER.sub(lambda hole: _fill_placeholder(hole, lookup, write), text)


def _fill_value(value: object, lookup: CapturedLookup) -> Any:
    if isinstance(value, dict):
        table = cast("dict[str, object]", value)
        return {key: _fill_value(inner, lookup) for key, inner in table.items()}
    if isinstance(value, list):
        row = cast("list[object]", value)
        return [_fill_value(inner, lookup) for inner in row]
    if not isinstance(value, str):
        return value
    text = fill_text(value, lookup)
    whole = _PLACEHOLDER.fullmatch(value) is not None
    return int(text) if whole and text.isascii() and text.isdecimal() else text


def _fill_placeholder(
    placeholder: re.Match[str], lookup: CapturedLookup, write: ValueWriter
) -> str:
    *others, last = (placeholder[2] or "").split("|")
    for name in (placeholder[1], *others):
        if value := lookup(name):
            return write(name, value, placeholder.string[: placeholder.start()])
    if last == "!" or placeholder[2] is None:
        raise LookupError(placeholder[1])
    return last
