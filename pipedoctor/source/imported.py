"""Which files a text imports, without parsing it: enough to know what to read next."""

import re

_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b([^#\n]*)|import[ \t]+([^#\n]*))",
    re.MULTILINE,
)
_WORD = re.compile(rb"[A-Za-z_]\w*")


def imported_names(text: bytes) -> set[str]:
    """Every part of every imported name: more than are files, never fewer."""
    return {
        word.decode()
        for match in _IMPORT.finditer(text)
        for part in match.groups()
        if part
        for word in _WORD.findall(part)
    }
