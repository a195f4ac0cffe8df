"""Changes of files as a unified diff that ``patch -p0`` and ``git apply`` take."""

import difflib
import os
import re
from collections.abc import Iterator, Mapping, Sequence

_QUOTED_BYTES = re.compile(
    rb"[\x00-\x1f\x7f\"\\]"
    rb"|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf"
)
"""What ends a name or a line, and in UTF-8 what a terminal obeys or hides (`textsafe.HIDDEN`)."""
_NO_NEWLINE = b"\\ No newline at end of file\n"


def render_patch(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> bytes:
    """
    All files in the order of their names, relative to the working directory.

    A name begins with ``./``: ``patch -p0`` finds it, and ``git apply``, which takes
    the first folder away, finds it too.
    """
    return b"".join(
        line for path in sorted(after) for line in _render_file(path, before[path], after[path])
    )


def _render_file(path: str, old: bytes, new: bytes) -> Iterator[bytes]:
    head = _quote_name(b"./" + os.fsencode(path))
    tab = b"\t" if b" " in head and not head.startswith(b'"') else b""
    lines = difflib.diff_bytes(
        difflib.unified_diff, _split_lines(old), _split_lines(new), head, head, b"", b""
    )
    for number, line in enumerate(lines):
        if number < 2:  # noqa: PLR2004  (the two lines with names)
            yield line.rstrip(b"\n").rstrip(b"\t") + tab + b"\n"
        elif line.endswith(b"\n"):
            yield line
        else:
            yield line + b"\n" + _NO_NEWLINE


def _quote_name(name: bytes) -> bytes:
    """In C's way, as patch and git read it, where a line could not hold it as it is."""
    if not _QUOTED_BYTES.search(name):
        return name
    return b'"%b"' % _QUOTED_BYTES.sub(
        lambda odd: b"".join(b"\\%03o" % byte for byte in odd[0]), name
    )


def _split_lines(text: bytes) -> Sequence[bytes]:
    r"""Lines as patch counts them: only ``\n`` ends one."""
    parts = text.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines
