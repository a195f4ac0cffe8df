"""The text in one line of a record: JSON of log collectors, cells of notebooks."""

import re
from collections.abc import Iterator
from typing import cast

import msgspec

_TEXT_KEYS = (
    "log",
    "MESSAGE",
    "message",
    "msg",
    "textPayload",
    "text",
    "line",
    "event",
)
"""Where a record has what was said: the first of these that it has."""
_TRACEBACK_KEYS = (
    "traceback", "exc_info", "exception", "stack_trace", "py_callstack", "reason",
)  # fmt: skip
"""What else of it is worth a line."""
_TIME_KEYS = ("time", "timestamp", "@timestamp")
_DATE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,20}$")
_MAX_DEPTH = 8
_JSON_FIELD = re.compile(r'\s{0,40}"[^"\\]{1,80}": ?["\[{]')
_EMBEDDED_TRACEBACK = re.compile(
    r"\\n {1,8}File \\?\"|Traceback \(most recent call last\):\\n|\\u001b\["
)
_FLAT_TRACEBACK = 'Traceback (most recent call last): File "'
_LINE_BREAKS = re.compile(
    r" (?=File \"[^\"]{1,400}\", line \d)"
    r"| (?=(?:[A-Za-z_]\w{0,40}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception): )"
)
_ESCAPES = (("\\u001b", "\x1b"), ("\\t", "\t"), ('\\"', '"'), ("\\r", "\\n"))


def unwrap_record(text: str) -> list[str] | None:
    """The lines that are wrapped in this record; None: it is no record."""
    start = text.lstrip()[:1]
    if start == '"' and _JSON_FIELD.match(text):
        text = f"{{{text.strip().removesuffix(',')}}}"
    if start in {'"', "{"}:
        found = _decode_json(text)
        if found:
            return found
    if "\\n" in text and _EMBEDDED_TRACEBACK.search(text):
        return _unescape_lines(text)
    return _split_traceback(text) if _FLAT_TRACEBACK in text else None


def _decode_json(text: str) -> list[str]:
    try:
        value = msgspec.json.decode(text.strip().removesuffix(","))
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return []
    lines = [line for message in _iter_texts(value, _MAX_DEPTH) for line in message.splitlines()]
    time = _read_time(value)
    return [f"{time} {line}" for line in lines] if time else lines


def _read_time(value: object) -> str:
    record = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    found = (record.get(key) for key in _TIME_KEYS)
    dates = (one for one in found if isinstance(one, str) and _DATE.match(one))
    return next(dates, "")


def _unescape_lines(text: str) -> list[str]:
    """A traceback within a string, as `repr` and notebooks on one line have it."""
    for escaped, plain in _ESCAPES:
        text = text.replace(escaped, plain)
    return text.split("\\n")


def _split_traceback(text: str) -> list[str]:
    """A traceback whose lines somebody joined, as services say why a job failed."""
    first, *rest = _LINE_BREAKS.split(text)
    return [first, *(f"  {r}" if r.startswith("File") else r for r in rest)]


def _iter_texts(value: object, deep: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and deep:
        yield from _iter_record(cast("dict[str, object]", value), deep - 1)


def _iter_record(record: dict[str, object], deep: int) -> Iterator[str]:
    key = next((k for k in _TEXT_KEYS if isinstance(record.get(k), (str, list))), "")
    for name, inner in record.items():
        if name == key or name in _TRACEBACK_KEYS:
            yield from _iter_value(inner, deep)
        elif isinstance(inner, dict):
            yield from _iter_texts(cast("dict[str, object]", inner), deep)
        elif isinstance(inner, list):
            for one in cast("list[object]", inner):
                if isinstance(one, dict):
                    yield from _iter_texts(cast("dict[str, object]", one), deep)


def _iter_value(value: object, deep: int) -> Iterator[str]:
    """What stands under a key of text: also in lines, or in bytes, as of journald."""
    if not isinstance(value, list):
        yield from _iter_texts(value, deep)
        return
    row = cast("list[object]", value)
    if row and all(isinstance(one, int) and 0 <= one < 256 for one in row):  # noqa: PLR2004
        yield bytes(cast("list[int]", row)).decode(errors="replace")
        return
    yield "".join(f"{one}".removesuffix("\n") + "\n" for one in row if isinstance(one, str))
