"""Which files a text imports, without parsing it: enough to know what to read next."""

import re
from collections.abc import Iterator

_IMPORT_STATEMENT = re.compile(
    rb"[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b([^#\n]*)|import[ \t]+([^#\n]*))"
)
_IMPORT_WORD = re.compile(rb"import")
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")


def find_imported_names(text: bytes) -> set[str]:
    """Every part of every imported name: more than are files, never fewer."""
    return {
        word.decode()
        for match in _find_import_statements(text)
        for part in match.groups()
        if part
        for word in _IDENTIFIER.findall(part)
    }


def _find_import_statements(text: bytes) -> Iterator[re.Match[bytes]]:
    """Of lines that say ``import`` those that begin as they must."""
    before = -1
    for keyword in _IMPORT_WORD.finditer(text):
        start = text.rfind(b"\n", 0, keyword.start()) + 1
        if start > before:
            before = start
            match = _IMPORT_STATEMENT.match(text, start)
            if match is not None:
                yield match
