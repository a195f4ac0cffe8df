"""Lines of the user's code to show under findings, as far as the reader may see them."""

import io
import os
import re
import tokenize
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from pipedoctor.collect.code.code_path import format_path
from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import files
from pipedoctor.runtime.regular_file import read_whole

if TYPE_CHECKING:
    from pipedoctor.report.edit_diff import EditDiffs
    from pipedoctor.report.model import Report
    from pipedoctor.report.source_frame import SourceFrames
    from pipedoctor.runtime.probe import Announce

CONTEXT_LINES = 1
"""Lines shown before and after that of the finding."""
MAX_FRAMES = 60
_MAX_FILE_BYTES = 4 << 20
LineRedactor = Callable[[str], str]


class CodeQuoter:
    """
    Quotes the code that was judged; where a file cannot be read, nothing.

    `redact` takes names and secrets out of a line; `masked` strings and comments, where
    others will read it.
    """

    def __init__(self, paths: Sequence[str], redact: LineRedactor, *, masked: bool) -> None:
        self._paths, self._redact, self._masked = paths, redact, masked
        self._files: dict[tuple[str, int], tuple[str, ...]] = {}

    def read_frames(self, report: "Report") -> "SourceFrames":
        """The lines around each finding in code."""
        from pipedoctor.check.places import get_cell_number, get_file_path
        from pipedoctor.report.source_frame import SourceFrame

        frames: dict[tuple[str, int], SourceFrame] = {}
        for entry in report.findings:
            spot = entry.location
            if spot is None or len(frames) >= MAX_FRAMES:
                continue
            lines = self._read_lines(get_file_path(spot), get_cell_number(spot))
            if 0 < spot.line <= len(lines):
                frames[spot.path, spot.line] = SourceFrame.from_line(
                    lines, spot.line, CONTEXT_LINES
                )
        return frames

    def read_diffs(self, report: "Report") -> "EditDiffs":
        """What the edits of each remedy would change."""
        from pipedoctor.report.edit_diff import diff_edits

        remedies = (remedy for entry in report.findings for remedy in entry.remedies)
        wanted = dict.fromkeys(remedy.edits for remedy in remedies if remedy.edits)
        found = ((one, diff_edits(one, self._read_lines)) for one in islice(wanted, MAX_FRAMES))
        return {edits: lines for edits, lines in found if lines}

    def _read_lines(self, path: str, cell: int) -> tuple[str, ...]:
        """The lines of a file, or of a cell of a notebook, as they may be shown."""
        key = (path, cell)
        if key not in self._files:
            text = _load_file(path, self._paths)
            text = _extract_cell(text, cell) if cell and text else text
            lines = _decode_lines(text, masked=self._masked) if text else []
            self._files[key] = tuple(map(self._redact, lines))
        return self._files[key]


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
