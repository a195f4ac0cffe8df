"""What a log tells, as a shell reads it back: one word, however it is written."""

import re
import shlex

from pipedoctor.check import shell

_WORDS = frozenset({"asked", "packages", "rest", "wanted"})
"""Names that stand for several words."""
_COMMANDS = frozenset({"command", "command_on_mps", "interactive", "run_older_image", "starter"})
"""Names that stand for what was typed there."""
_PLAIN_FOR_CMD = re.compile(r"[^\s\"%&|<>^()=;,!']+")
_UNSAFE_QUOTED = re.compile(r"[\"'`$\n]")
"""What ends a quotation, or is read within it."""


def quote_value(name: str, value: str, before: str, *, windows: bool = False) -> str:
    """
    The value of the hole `name` of a line that a shell reads, `before` being what precedes it.

    Raises LookupError where it cannot be written so that it stays a value.
    """
    if name in _COMMANDS:
        return value
    if _is_open(before):
        if _UNSAFE_QUOTED.search(value) or ("\\" in value and not windows):
            raise LookupError(name)
        return value
    if windows:
        return _quote_for_cmd(name, value)
    return shell(_split(value) if name in _WORDS else (value,))


def _split(words: str) -> list[str]:
    try:
        return shlex.split(words)
    except ValueError:
        return words.split()


def _quote_for_cmd(name: str, value: str) -> str:
    if name in _WORDS or _PLAIN_FOR_CMD.fullmatch(value):
        return value
    if _UNSAFE_QUOTED.search(value) or "%" in value:
        raise LookupError(name)
    return f'"{value}"'


def _is_open(text: str) -> bool:
    """Does a quotation begin here that does not end?"""
    quote = ""
    for sign in re.sub(r"\\.", "", text):
        if sign in {quote, *(() if quote else "\"'")}:
            quote = "" if quote else sign
    return bool(quote)
