"""Bytes that somebody pasted -> plain lines, without what the pasting added."""

import codecs
import html
import re
from collections.abc import Iterator

MAX_LINE_CHARS = 2000
"""Characters of a line that are read."""
_MIN_UTF16_BYTES = 16
"""Bytes of a text whose zeros show that it is UTF-16."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ANSI = re.compile(r"\x1b\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)|\x1b\[[0-9;?]*[ -/]*[@-~]")
_BLOCK_TAG = re.compile(
    r"</?(?:details|summary|pre|p|br|div|table|tbody|tr|td|ul|ol|li|blockquote)"
    r"(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_INLINE_TAG = re.compile(
    r"</?(?:code|b|i|strong|em|span|font|kbd|samp|tt)(?:\s[^<>]{0,200})?>",
    re.IGNORECASE,
)
_QUOTE_PREFIX = re.compile(r"(?:>\s?)+")
_LOG_PREFIX = re.compile(
    r"(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d[\d.,]*Z?\]?\s*)?"
    r"(?:-\s+[\w.]+\s+-\s+)?(?:(?:INFO|WARNING|DEBUG)(?:\s+-\s|:[\w.]*:))?\s*"
)
_BULLET = re.compile(r"(?:[-*+•·]|\d{1,2}[.)])\s+|[-+](?=[A-Z\[])")
_CONTROLS = dict.fromkeys([*range(9), *range(14, 32), 127, *range(0x80, 0xA0), 0xFEFF])
_CHAR_REPLACEMENTS = {0x09: "    ", 0xA0: " ", 0x3000: " ", 0xFF1A: ":", ord("`"): None}


def convert_to_utf8(data: bytes) -> bytes | None:
    """Give the text in UTF-8, as far as it is text; None: binary."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _recode(data[len(mark) :], encoding)
    if b"\0" not in data:
        return data
    head = data[:512]
    halves = head[::2].strip(b"\0"), head[1::2].strip(b"\0")
    if len(head) >= _MIN_UTF16_BYTES and any(halves) and not all(halves):
        return _recode(data, "utf-16-le" if halves[0] else "utf-16-be")
    return None


def _recode(data: bytes, encoding: str) -> bytes:
    if encoding == "utf-8":
        return data
    return data.decode(encoding, errors="replace").encode(errors="replace")


def clean_lines(text: str) -> Iterator[str]:
    """Each line that holds anything, without colors, quotes, prompts' fences."""
    text = _ANSI.sub("", text) if "\x1b" in text else text
    if "<" in text:
        text = _INLINE_TAG.sub("", _BLOCK_TAG.sub("\n", text))
    if "&" in text:
        text = html.unescape(text)
    for line in text.translate(_CONTROLS).splitlines():
        plain = _clean_line(line[:MAX_LINE_CHARS])
        if plain:
            yield plain


def _clean_line(line: str) -> str:
    line = line.translate(_CHAR_REPLACEMENTS).replace("**", "").strip()
    for noise in (_QUOTE_PREFIX, _LOG_PREFIX, _BULLET):
        match = noise.match(line)
        line = line[match.end() :].lstrip() if match else line
    return line
