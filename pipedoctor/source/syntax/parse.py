"""Bytes to syntax trees, by the rules of Python itself; notebooks cell by cell."""

import ast
import codecs
import io
import re
import tokenize
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import msgspec

from pipedoctor.source.discover.files import SourceFile
from pipedoctor.source.discover.notebook import extract_code_cells


class CellStart(NamedTuple):
    """Where a cell of a notebook begins in the text that is made of all of them."""

    number: int
    first_line: int


@dataclass(eq=False)
class ParsedFile:
    """
    A parsed file.

    Its path, its syntax tree and its text in UTF-8 with lines ending in one character.
    """

    path: str
    tree: ast.Module
    content: bytes
    cells: Sequence[CellStart] = ()
    _known_words: dict[tuple[bytes, ...], bool] = field(
        default_factory=dict[tuple[bytes, ...], bool]
    )

    def says_any(self, words: tuple[bytes, ...]) -> bool:
        """Does any of these stand in its text? Looked for once."""
        known = self._known_words.get(words)
        if known is None:
            known = self._known_words[words] = any(word in self.content for word in words)
        return known

    @cached_property
    def lines(self) -> list[bytes]:
        """Without their ends; of most files nobody asks for them."""
        return self.content.split(b"\n")


class NotPythonError(Exception):
    """The file is no Python that can be read; says why."""


TORCH_WORDS = (
    b"torch",
    b"DataLoader",
    b"Dataset",
    b"lightning",
    b"fastai",
    b"monai",
    b"accelerate",
)


def mentions_torch(text: bytes) -> bool:
    """Does the text contain any word that code for torch would contain?"""
    return any(word in text for word in TORCH_WORDS)


def parse_file(file: SourceFile) -> ParsedFile:
    """Make a syntax tree; raises NotPythonError with a reason for people."""
    if file.path.endswith(".ipynb"):
        return _parse_notebook(file)
    tree = _parse_tree(file.text)
    return ParsedFile(file.path, tree, _normalize_text(file.text))


def _normalize_text(text: bytes) -> bytes:
    """With lines as the syntax tree counts them: in UTF-8, whatever the file is in."""
    plain = text.removeprefix(codecs.BOM_UTF8)
    if not plain.isascii():
        encoding = detect_encoding(text)
        if encoding not in {"utf-8", "utf-8-sig"}:
            plain = plain.decode(encoding).encode()
    if b"\r" in plain:
        plain = plain.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return plain


def detect_encoding(text: bytes) -> str:
    """The encoding that a file names, or UTF-8; raises SyntaxError for nonsense."""
    return tokenize.detect_encoding(io.BytesIO(text).readline)[0]


_OLD_KEYWORD = re.compile(rb"(?<=[(,\s])async(?=\s*=(?!=))")
_STAND_IN = b"asynk"
"""Of the same length, so that all positions stay."""


def _parse_tree(text: bytes) -> ast.Module:
    """By the rules of today; ``x.cuda(async=True)`` of before Python 3.7 is read as well."""
    try:
        return _parse_strictly(text)
    except NotPythonError:
        renamed = _OLD_KEYWORD.sub(_STAND_IN, text)
        if renamed == text:
            raise
        try:
            tree = _parse_strictly(renamed)
        except NotPythonError:
            return _parse_strictly(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == _STAND_IN.decode():
            node.arg = "async"
    return tree


def _parse_strictly(text: bytes) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        old = " (Python 2?)" if _is_python2_error(error) else ""
        message = f"line {error.lineno or 1}: {error.msg}{old}"
        raise NotPythonError(message) from None
    except ValueError as error:
        raise NotPythonError(str(error)) from None
    except (RecursionError, MemoryError):
        message = "nested too deep"
        raise NotPythonError(message) from None


def _is_python2_error(error: SyntaxError) -> bool:
    message = error.msg or ""
    words = ("Missing parentheses in call to", "multiple exception types")
    return any(word in message for word in words)


def _parse_notebook(file: SourceFile) -> ParsedFile:
    """Join the code cells; magics become blanks, a broken cell is left out."""
    try:
        found = list(extract_code_cells(file.text))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        message = f"no notebook: {error}"
        raise NotPythonError(message) from None
    whole: list[bytes] = []
    cells: list[CellStart] = []
    for number, code in enumerate(found, 1):
        text = "\n".join(map(_blank_magic_line, code.split("\n"))).encode("utf-8", "replace")
        try:
            _parse_tree(text)
        except NotPythonError:
            continue
        cells.append(CellStart(number, len(whole) + 1))
        whole += text.split(b"\n")
    text = b"\n".join(whole)
    return ParsedFile(file.path, _parse_tree(text), text, cells)


def _blank_magic_line(line: str) -> str:
    """Magics and shell lines say nothing here; the number of lines stays."""
    start = line.lstrip()
    if not start.startswith(("%", "!", "?")):
        return line
    return line[: len(line) - len(start)] + "pass"
