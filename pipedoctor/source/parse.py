"""Bytes to syntax trees, by the rules of Python itself; notebooks cell by cell."""

import ast
import codecs
import io
import tokenize
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import msgspec

from pipedoctor.source.files import Source
from pipedoctor.source.notebook import codes


class Cell(NamedTuple):
    """Where a cell of a notebook begins in the text that is made of all of them."""

    number: int
    first: int


@dataclass(eq=False)
class Text:
    """A file that Python would understand: in UTF-8, lines end in one character."""

    path: str
    tree: ast.Module
    whole: bytes
    cells: Sequence[Cell] = ()

    @cached_property
    def lines(self) -> list[bytes]:
        """Without their ends; of most files nobody asks for them."""
        return self.whole.split(b"\n")


class NotPythonError(Exception):
    """The file is no Python that can be read; says why."""


TRACES = (
    b"torch",
    b"DataLoader",
    b"Dataset",
    b"lightning",
    b"fastai",
    b"monai",
    b"accelerate",
)


def traces(text: bytes) -> bool:
    """Can this file have to do with loading for torch at all?"""
    return any(word in text for word in TRACES)


def parse(source: Source) -> Text:
    """Make a syntax tree; raises NotPythonError with a reason for people."""
    if source.path.endswith(".ipynb"):
        return _notebook(source)
    tree = _tree(source.text)
    return Text(source.path, tree, _plain(source.text))


def _plain(text: bytes) -> bytes:
    """With lines as the syntax tree counts them: in UTF-8, whatever the file is in."""
    plain = text.removeprefix(codecs.BOM_UTF8)
    if not plain.isascii():
        encoding = encoding_of(text)
        if encoding not in {"utf-8", "utf-8-sig"}:
            plain = plain.decode(encoding).encode()
    if b"\r" in plain:
        plain = plain.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return plain


def encoding_of(text: bytes) -> str:
    """The encoding that a file names, or UTF-8; raises SyntaxError for nonsense."""
    return tokenize.detect_encoding(io.BytesIO(text).readline)[0]


def _tree(text: bytes) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        old = " (Python 2?)" if _python2(error) else ""
        message = f"line {error.lineno or 1}: {error.msg}{old}"
        raise NotPythonError(message) from None
    except ValueError as error:
        raise NotPythonError(str(error)) from None
    except (RecursionError, MemoryError):
        message = "nested too deep"
        raise NotPythonError(message) from None


def _python2(error: SyntaxError) -> bool:
    said = error.msg or ""
    words = ("Missing parentheses in call to", "multiple exception types")
    return any(word in said for word in words)


def _notebook(source: Source) -> Text:
    """Join the code cells; magics become blanks, a broken cell is left out."""
    try:
        found = list(codes(source.text))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        message = f"no notebook: {error}"
        raise NotPythonError(message) from None
    whole: list[bytes] = []
    cells: list[Cell] = []
    for number, code in enumerate(found, 1):
        text = "\n".join(map(_unmagical, code.split("\n"))).encode("utf-8", "replace")
        try:
            _tree(text)
        except NotPythonError:
            continue
        cells.append(Cell(number, len(whole) + 1))
        whole += text.split(b"\n")
    text = b"\n".join(whole)
    return Text(source.path, _tree(text), text, cells)


def _unmagical(line: str) -> str:
    """Magics and shell lines say nothing here; the number of lines stays."""
    start = line.lstrip()
    if not start.startswith(("%", "!", "?")):
        return line
    return line[: len(line) - len(start)] + "pass"
