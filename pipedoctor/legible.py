r"""
Texts that are no Unicode: a file's name may hold bytes that are no UTF-8.

Python hands such bytes on as lone surrogates, which nothing can write. Written out
they read ``\xff``.
"""

import re
from collections.abc import Callable
from typing import Any, cast

import msgspec

_SURROGATE = re.compile("[\ud800-\udfff]")


def legible(text: str) -> str:
    r"""Write out what is no character: ``\xff``."""
    return text if text.isascii() else _SURROGATE.sub(written_out, text)


def written_out(match: re.Match[str]) -> str:
    r"""One odd character as Python writes it; a byte of a file's name as ``\xff``."""
    letter = match[0]
    if "\udc80" <= letter <= "\udcff":
        return f"\\x{ord(letter) & 0xFF:02x}"
    return letter.encode("unicode_escape", "surrogatepass").decode()


def throughout(value: Any, spell: Callable[[str], str] = legible) -> Any:
    """The same lists and tables with every text in them legible, and every key."""
    if isinstance(value, str):
        return spell(value)
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return {throughout(k, spell): throughout(item, spell) for k, item in items}
    if isinstance(value, (list, tuple)):
        return [throughout(item, spell) for item in cast("list[Any]", value)]
    return value


def compact(value: object) -> bytes:
    """As JSON, whatever texts are in it; what is no JSON as its text."""
    try:
        return msgspec.json.encode(value, enc_hook=str)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value, str_keys=True, enc_hook=str)
        return msgspec.json.encode(throughout(plain))


def indented(value: object) -> bytes:
    """The same as people read it; ends with a newline."""
    return msgspec.json.format(compact(value)) + b"\n"
