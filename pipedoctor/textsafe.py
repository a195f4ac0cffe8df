r"""
Texts that are no Unicode: a file's name may hold bytes that are no UTF-8.

Python hands such bytes on as lone surrogates, which nothing can write. Written out
they read ``\xff``.
"""

import re
from collections.abc import Callable
from typing import Any, cast

import msgspec

HIDDEN = "\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
"""
Ranges of a regular expression: what a terminal obeys or hides.

The control characters below the blank are not among them: JSON escapes them anyway.
"""
_PAIR_OF_QUOTES = (
    "\u2018([^\u2018\u2019'\n]{1,200})\u2019"
    '|(?<!\u201e)\u201c([^\u201c\u201d\u201e"\n]{1,200})\u201d'
)
_HIDDEN = f"[{HIDDEN}]"
_SURROGATE = "[\ud800-\udfff]"


def escape_surrogates(text: str) -> str:
    r"""Escape what is not a character: ``\xff``."""
    return text if text.isascii() else re.sub(_SURROGATE, escape_character, text)


def straighten_quotes(text: str) -> str:
    """Quotes of typography, in pairs, as those of ASCII: coreutils and gcc write them."""
    if text.isascii() or not ("\u2018" in text or "\u201c" in text):
        return text
    return re.sub(
        _PAIR_OF_QUOTES, lambda match: f"'{match[1]}'" if match[1] else f'"{match[2]}"', text
    )


def escape_character(match: re.Match[str]) -> str:
    r"""One odd character as Python writes it; a byte of a file's name as ``\xff``."""
    letter = match[0]
    if "\udc80" <= letter <= "\udcff":
        return f"\\x{ord(letter) & 0xFF:02x}"
    return letter.encode("unicode_escape", "surrogatepass").decode()


def map_strings(value: Any, convert: Callable[[str], str] = escape_surrogates) -> Any:
    """Apply `convert` to every text and key in lists and tables."""
    if isinstance(value, str):
        return convert(value)
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return {map_strings(k, convert): map_strings(item, convert) for k, item in items}
    if isinstance(value, (list, tuple)):
        return [map_strings(item, convert) for item in cast("list[Any]", value)]
    return value


def encode_json(value: object) -> bytes:
    """
    Encode as JSON whatever texts are in it; unknown objects as their text.

    What a terminal obeys or hides is escaped, though JSON allows it in a string.
    """
    try:
        text = msgspec.json.encode(value, enc_hook=str)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value, str_keys=True, enc_hook=str)
        text = msgspec.json.encode(map_strings(plain))
    return text if text.isascii() else re.sub(_HIDDEN, _escape_hidden, text.decode()).encode()


def _escape_hidden(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def decode_json(data: bytes) -> Any:
    """
    Decode what Python's `json` has written; raises msgspec.DecodeError.

    It writes lone surrogates as escapes that are no JSON elsewhere: an error message
    with a file's name in it must not be lost for them.
    """
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        import json  # noqa: PLC0415  (hardly any run needs it)

        try:
            return map_strings(json.loads(data))
        except ValueError as error:
            raise msgspec.DecodeError(str(error)) from None


def encode_indented_json(value: object) -> bytes:
    """Encode as indented JSON that ends with a newline."""
    return msgspec.json.format(encode_json(value)) + b"\n"
