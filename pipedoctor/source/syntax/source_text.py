"""The text of a module by lines and characters, to say where exactly things stand."""

import ast
import re
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from pipedoctor.facts.call_text import Span
from pipedoctor.source.syntax.bindings import (
    bound_names,
    collect_names,
    module_level_names,
)
from pipedoctor.source.syntax.scope import Module
from pipedoctor.source.syntax.walk import statement_blocks, walk_branches

_MIN_WIDTH, _MAX_WIDTH = 88, 119
"""How long lines may become: as long as those that are there, within these."""
_WHITESPACE, _INLINE_WHITESPACE = re.compile(r"\s*"), re.compile(r"[ \t\f]*")
"""Blanks of any kind, and those that Python allows within a line."""


class TextPosition(NamedTuple):
    """A place between characters; lines count from 1, columns from 0."""

    line: int
    column: int

    def shift(self, columns: int) -> "TextPosition":
        """Return the place so many columns to the right on the same line."""
        return TextPosition(self.line, self.column + columns)


class SourceText:
    """
    The text of one module by lines and characters.

    Columns of a syntax tree are bytes of UTF-8.
    """

    def __init__(self, module: Module) -> None:
        self.module = module
        self._known_faithful: dict[int, bool] = {}
        self._known_binding: dict[str, bool] = {}
        self._known_bound_names: dict[int, set[str]] = {}

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the file, without what ends them."""
        return [line.decode(errors="replace") for line in self.module.file.lines]

    @cached_property
    def max_width(self) -> int:
        """How long a line may become here."""
        return max(_MIN_WIDTH, min(_MAX_WIDTH, max(map(len, self.lines), default=0)))

    @cached_property
    def preferred_quote(self) -> str:
        """The quotation mark that the file uses more often; docstrings do not count."""
        lines = [line.replace('"' * 3, "").replace("'" * 3, "") for line in self.lines]
        single = sum(line.count("'") for line in lines)
        return "'" if single > sum(line.count('"') for line in lines) else '"'

    @cached_property
    def call_statements(self) -> Mapping[int, tuple[list[ast.stmt], ast.Expr]]:
        """For a call that is a statement of its own: the block it stands in."""
        return {
            id(statement.value): (block, statement)
            for node in walk_branches(self.module.file.tree)
            for block in statement_blocks(node)
            for statement in block
            if isinstance(statement, ast.Expr)
        }

    def is_name_used(self, name: str) -> bool:
        """Does the file use this name anywhere, whatever it means there?"""
        text = self.module.file.content
        if text.isascii() and not re.search(rb"\b%b\b" % name.encode(), text):
            return False
        return name in self._used_names

    def may_bind(self, name: str) -> bool:
        """May anything but a plain import at the top give this name a value, by the words?"""
        known = self._known_binding.get(name)
        if known is None:
            text = self.module.file.content
            words = re.finditer(rb"\b%b\b" % name.encode(), text)
            known = not text.isascii() or not all(_only_reads(text, *one.span()) for one in words)
            self._known_binding[name] = known
        return known

    @cached_property
    def _used_names(self) -> frozenset[str]:
        return frozenset(collect_names(self.module.file.tree))

    @cached_property
    def assigned_names(self) -> frozenset[str]:
        """Names that anything but a plain import binds in the module."""
        text = self.module.file
        others = (one for one in text.tree.body if not isinstance(one, ast.Import))
        deep = b"global" in text.content
        return frozenset(
            name for one in others for name in module_level_names(one, include_globals=deep)
        )

    @cached_property
    def attributes_by_name(self) -> Mapping[str, list[ast.Attribute]]:
        """Every attribute in the file, by its name."""
        found: dict[str, list[ast.Attribute]] = {}
        for node in ast.walk(self.module.file.tree):
            if isinstance(node, ast.Attribute):
                found.setdefault(node.attr, []).append(node)
        return found

    def node_start(self, node: ast.AST) -> TextPosition:
        """Where a node begins."""
        return self._position(getattr(node, "lineno", 0), getattr(node, "col_offset", 0))

    def node_end(self, node: ast.AST) -> TextPosition:
        """Where a node ends."""
        line = getattr(node, "end_lineno", None) or 0
        return self._position(line, getattr(node, "end_col_offset", None) or 0)

    def _position(self, line: int, offset: int) -> TextPosition:
        return TextPosition(line, self.module.character_column(line, offset))

    def char_at(self, at: TextPosition) -> str:
        """The character after a point; at the end of a line none."""
        return self.lines[at.line - 1][at.column : at.column + 1]

    def is_line_start(self, at: TextPosition) -> bool:
        """Is there nothing but blanks before this point of its line?"""
        return len(self.indentation(at.line)) >= at.column

    def is_line_end(self, at: TextPosition) -> bool:
        """Is there nothing but a comment behind this point of its line?"""
        return self._next_character(at) in {"", "#"}

    def is_before_comment(self, at: TextPosition) -> bool:
        """Is there only a comment behind it?"""
        return self._next_character(at) == "#"

    def has_text_at(self, at: TextPosition, words: str) -> bool:
        """Do these words stand at this point?"""
        return self.lines[at.line - 1].startswith(words, at.column)

    def _next_character(self, at: TextPosition) -> str:
        """The next character of the line that is no blank; lines may be a megabyte."""
        line = self.lines[at.line - 1]
        blanks = _WHITESPACE.match(line, at.column)
        return line[blanks.end() : blanks.end() + 1] if blanks else ""

    def text_between(self, one: TextPosition, other: TextPosition) -> str:
        """Everything between two points."""
        if one.line == other.line:
            return self.lines[one.line - 1][one.column : other.column]
        first, *between, last = self.lines[one.line - 1 : other.line]
        return "\n".join([first[one.column :], *between, last[: other.column]])

    def next_code(self, at: TextPosition) -> TextPosition:
        """The next point where code goes on: behind blanks, comments and lines."""
        line, column = at
        while line <= len(self.lines):
            text = self.lines[line - 1]
            blanks = _INLINE_WHITESPACE.match(text, column)
            begin = blanks.end() if blanks else column
            code = text[begin : begin + 2]
            goes_on = code == "\\" and begin + 1 == len(text)
            if code and code[0] != "#" and not goes_on:
                return TextPosition(line, begin)
            line, column = line + 1, 0
        return TextPosition(line, column)

    def indentation(self, line: int) -> str:
        """The blanks that a line begins with."""
        blanks = _WHITESPACE.match(self.lines[line - 1])
        return blanks[0] if blanks else ""

    def make_span(self, one: TextPosition, other: TextPosition | None = None) -> Span:
        """A range as a fact; in a notebook by cell."""
        other = other or one
        first = 1
        for cell in self.module.file.cells:
            if cell.first_line <= one.line:
                first = cell.first_line
        return Span(
            line=one.line - first + 1,
            column=one.column + 1,
            end_line=other.line - first + 1,
            end_column=other.column + 1,
        )

    def node_span(self, node: ast.AST) -> Span:
        """The range of a node."""
        return self.make_span(self.node_start(node), self.node_end(node))

    def matches_text(self, node: ast.expr) -> bool:
        """Is it really what stands there? Old Pythons lose their way in f-strings."""
        known = self._known_faithful.get(id(node))
        if known is None:
            known = self._known_faithful[id(node)] = self._parses_back(node)
        return known

    def bound_names_in(self, node: ast.AST) -> set[str]:
        """The names that a part of the file binds."""
        known = self._known_bound_names.get(id(node))
        if known is None:
            known = self._known_bound_names[id(node)] = bound_names(node)
        return known

    def _parses_back(self, node: ast.expr) -> bool:
        text = self.text_between(self.node_start(node), self.node_end(node))
        try:
            found = ast.parse(f"({text}\n)", mode="eval").body
            return ast.dump(found) == ast.dump(node)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False


def _only_reads(text: bytes, begin: int, end: int) -> bool:
    """``torch.x``, and ``import torch`` or ``from torch import x`` at the top."""
    start = text.rfind(b"\n", 0, begin) + 1
    stop = text.find(b"\n", end)
    line = text[start : stop if stop >= 0 else len(text)]
    if line.startswith(b"import "):
        return b";" not in line
    if line.startswith(b"from ") and start + len(b"from ") == begin:
        return text.find(text[begin:end], end, start + len(line)) < 0 and b";" not in line
    return text[end : end + 1] == b"." and b"import" not in line
