"""Take off a line what others put around it: colours, times, ranks, JSON."""

import re
from typing import cast

import msgspec

ANSI = re.compile(
    r"\x1b(?:\[[0-?]{0,40}[ -/]{0,4}[@-~]"
    r"|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)|[@-Z\\-_])"
)
_TIME = re.compile(
    r"\[?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
    r"(?:Z| ?[+-]\d\d:?\d\d)?\]?"
    r"(?: std(?:err|out) [FP] | ?[:|,-] ?| )?"
)
_SYSLOG = re.compile(
    r"([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) \S{1,100} "
    r"[^\s:\[]{1,60}(?:\[\d{1,8}\])?: ?"
)
_RANK = re.compile(
    r"\[(?:rank|default|Rank |RANK )(\d{1,6})\]:? ?"
    r"|\[\d{1,4},(\d{1,6})\]<std(?:err|out)>: ?"
    r"|(\d{1,5}): (?=\s{0,12}File |Traceback|\[|\w)"
    r"|\((?:\w{1,40} )?(?:pid=|rank[ =:]?)(\d{1,8})(?:, ip=[\d.]{7,15})?\) ?"
    r"|\[?[Rr]ank ?[=:]? ?(\d{1,6})\]?[:|] ?"
)
_OTHER = re.compile(
    r"[\w./-]{1,80} {1,8}\| "
    r"|\[?(?:ERROR|WARNING|INFO|CRITICAL|DEBUG|FATAL)\]?[:|]? {1,3}(?=\[|\w)"
    r"|std(?:err|out) [FP] |\[[\w-]{1,40}\] \[[\w-]{1,40}\] "
)
_MOST = 6
_KEYS = ("log", "MESSAGE", "message", "msg", "textPayload", "text")


class Line(msgspec.Struct, frozen=True):
    """A line as its writer wrote it, and what was said about it."""

    text: str
    rank: str = ""
    time: str = ""


def unwrapped(text: str) -> list[str]:
    """The lines in one: parts between carriage returns, strings of JSON."""
    text = ANSI.sub("", text) if "\x1b" in text else text
    if '"' in text and text.lstrip()[:1] in {'"', "{"}:
        inner = _json(text)
        if inner is not None:
            return [ANSI.sub("", part) for part in inner.splitlines()]
    parts = [part for part in text.split("\r") if part.strip()]
    return parts or [text]


def bare(text: str) -> Line:
    """The line without its prefixes; indentation stays."""
    rank = time = ""
    for _ in range(_MOST):
        if match := _TIME.match(text):
            time = time or match[1].replace("/", "-").replace("T", " ").replace(
                ",", "."
            )
        elif match := _SYSLOG.match(text):
            time = time or match[1]
        elif match := _RANK.match(text):
            rank = rank or next(group for group in match.groups() if group)
        elif not (match := _OTHER.match(text)):
            break
        text = text[match.end() :]
    return Line(text, rank, time)


def _json(text: str) -> str | None:
    """The message of a line of JSON, as container engines and notebooks write them."""
    try:
        value = msgspec.json.decode(text.strip().removesuffix(","))
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        record = cast("dict[str, object]", value)
        for key in _KEYS:
            inner = record.get(key)
            if isinstance(inner, str):
                return inner
    return None
