"""Lines of the user's code to show under findings, as far as the reader may see them."""

import io
import os
import re
import tokenize
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import files
from pipedoctor.runtime.regular_file import read_whole

if TYPE_CHECKING:
    from pipedoctor.report.model import Report
    from pipedoctor.report.source_frame import SourceFrames
    from pipedoctor.runtime.probe import Announce

CONTEXT_LINES = 1
"""Lines shown before and after that of the finding."""
MAX_FRAMES = 60
_MAX_FILE_BYTES = 4 << 20
LineRedactor = Callable[[str], str]


def read_frames(
    report: "Report", paths: Sequence[str], redact: "LineRedactor", *, masked: bool
) -> "SourceFrames":
    """
    The lines around each finding in code; where its file cannot be read: none.

    `redact` takes names and secrets out of a line; `masked` strings and comments, where
    others will read it.
    """
    from pipedoctor.check.places import get_cell_number, get_file_path
    from pipedoctor.report.source_frame import SourceFrame

    @cache
    def read(path: str, cell: int) -> tuple[str, ...]:
        text = _load_file(path, paths)
        if cell and text:
            text = _extract_cell(text, cell)
        return tuple(map(redact, _decode_lines(text, masked=masked))) if text else ()

    frames: dict[tuple[str, int], SourceFrame] = {}
    for entry in report.findings:
        spot = entry.location
        if spot is None or len(frames) >= MAX_FRAMES:
            continue
        lines = read(get_file_path(spot), get_cell_number(spot))
        if 0 < spot.line <= len(lines):
            frames[spot.path, spot.line] = SourceFrame.from_line(lines, spot.line, CONTEXT_LINES)
    return frames


def _load_file(path: str, paths: Sequence[str]) -> bytes:
    """The file that a finding names: relative to this folder, or to its argument."""

    def work(announce: "Announce") -> bytes:
        announce(f"read {path}")
        place = next(_iter_candidates(path, paths), "")
        try:
            return read_whole(place, _MAX_FILE_BYTES) if place else b""
        except OSError:
            return b""

    try:
        data: bytes = files.run_with_timeout(path, work)
    except UnreadableError:
        return b""
    return data


def _iter_candidates(path: str, paths: Sequence[str]) -> Iterator[str]:
    from pipedoctor.collect.source import format_path

    for base in ("", *paths):
        for candidate in (base, os.path.join(base, path)):  # noqa: PTH118  (any bytes)
            named = candidate and format_path(candidate, paths) == path
            if named and os.path.isfile(candidate):  # noqa: PTH113  (as above)
                yield candidate


def _extract_cell(text: bytes, number: int) -> bytes:
    """The code of one cell of a notebook, counted from 1."""
    import msgspec

    from pipedoctor.source.discover.notebook import extract_code_cells

    try:
        return next(islice(extract_code_cells(text), number - 1, None), "").encode()
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return b""


def _decode_lines(text: bytes, *, masked: bool) -> list[str]:
    """The lines of a file of Python; none where it cannot be masked or decoded."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(text).readline)
        code = text.decode(encoding)
        return _mask_strings(code) if masked else code.splitlines()
    except (SyntaxError, UnicodeDecodeError, tokenize.TokenError):
        return []


def _mask_string(token: str) -> str:
    """A string as long as before, so that columns stay: ``'/data'`` becomes ``'.....'``."""
    from pipedoctor.privacy.code_literals import mask_literals

    masked = mask_literals(token)
    if masked == token or "\n" in token:
        return masked
    head = re.match(r"\w*(\"\"\"|\'\'\'|\"|\')", token)
    quote = head[1] if head else ""
    begin = head.end() if head else 0
    return f"{token[:begin]}{'.' * (len(token) - begin - len(quote))}{quote}"


def _mask_strings(code: str) -> list[str]:
    """The lines without comments, with dots for what stands between quotes."""
    lines = code.splitlines()
    tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    middle = getattr(tokenize, "FSTRING_MIDDLE", None)
    for token in reversed(tokens):  # so that what stands before keeps its columns
        (row, column), (last, end) = token.start, token.end
        if token.type == tokenize.STRING:
            new = _mask_string(token.string)
        elif token.type == middle:
            new = "." * (end - column) if row == last else "..."
        elif token.type == tokenize.COMMENT:
            new = ""
        else:
            continue
        lines[row - 1 : last] = [
            lines[row - 1][:column] + new + lines[last - 1][end:],
            *[""] * (last - row),
        ]
    return lines
