"""The text of a module by lines and characters, to say where exactly things stand."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from pipedoctor.facts.source import Span
from pipedoctor.source.bindings import bound_at_top, bound_in, names_in
from pipedoctor.source.scope import Module

_NARROW, _WIDE = 88, 119
"""How long lines may become: as long as those that are there, within these."""
_BLANKS, _INNER = re.compile(r"\s*"), re.compile(r"[ \t\f]*")
"""Blanks of any kind, and those that Python allows within a line."""


class Point(NamedTuple):
    """A place between characters; lines count from 1, columns from 0."""

    line: int
    column: int


class Pen:
    """Finds points of one module; columns of a syntax tree are bytes of UTF-8."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._same: dict[int, bool] = {}
        self._bound: dict[int, set[str]] = {}

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the file, without what ends them."""
        return [line.decode(errors="replace") for line in self.module.text.lines]

    @cached_property
    def width(self) -> int:
        """How long a line may become here."""
        return max(_NARROW, min(_WIDE, max(map(len, self.lines), default=0)))

    @cached_property
    def quote(self) -> str:
        """The quotation mark that the file likes better; docstrings do not count."""
        lines = [line.replace('"' * 3, "").replace("'" * 3, "") for line in self.lines]
        single = sum(line.count("'") for line in lines)
        return "'" if single > sum(line.count('"') for line in lines) else '"'

    @cached_property
    def blocks(self) -> Mapping[int, tuple[list[ast.stmt], ast.Expr]]:
        """For a call that is a statement of its own: the block it stands in."""
        return {
            id(statement.value): (block, statement)
            for block in _blocks(self.module.text.tree)
            for statement in block
            if isinstance(statement, ast.Expr)
        }

    def takes(self, name: str) -> bool:
        """Is it a name in the file, whatever it means? Most are no word of it."""
        text = self.module.text.whole
        if text.isascii() and not re.search(rb"\b%b\b" % name.encode(), text):
            return False
        return name in self._taken

    @cached_property
    def _taken(self) -> frozenset[str]:
        return frozenset(names_in(self.module.text.tree))

    @cached_property
    def assigned(self) -> frozenset[str]:
        """Names that anything but a plain import binds in the module."""
        text = self.module.text
        others = (one for one in text.tree.body if not isinstance(one, ast.Import))
        deep = b"global" in text.whole
        return frozenset(
            name for one in others for name in bound_at_top(one, deep=deep)
        )

    @cached_property
    def attributes(self) -> Mapping[str, list[ast.Attribute]]:
        """Every attribute in the file, by its name."""
        found: dict[str, list[ast.Attribute]] = {}
        for node in ast.walk(self.module.text.tree):
            if isinstance(node, ast.Attribute):
                found.setdefault(node.attr, []).append(node)
        return found

    def start(self, node: ast.AST) -> Point:
        """Where a node begins."""
        return self._point(getattr(node, "lineno", 0), getattr(node, "col_offset", 0))

    def end(self, node: ast.AST) -> Point:
        """Where a node ends."""
        line = getattr(node, "end_lineno", None) or 0
        return self._point(line, getattr(node, "end_col_offset", None) or 0)

    def _point(self, line: int, offset: int) -> Point:
        return Point(line, self.module.characters(line, offset))

    def char(self, at: Point) -> str:
        """The character after a point; at the end of a line none."""
        return self.lines[at.line - 1][at.column : at.column + 1]

    def opens(self, at: Point) -> bool:
        """Is there nothing but blanks before this point of its line?"""
        return len(self.indent(at.line)) >= at.column

    def ends(self, at: Point) -> bool:
        """Is there nothing but a comment behind this point of its line?"""
        return self._follows(at) in {"", "#"}

    def comment(self, at: Point) -> bool:
        """Is there only a comment behind it?"""
        return self._follows(at) == "#"

    def says(self, at: Point, words: str) -> bool:
        """Do these words stand at this point?"""
        return self.lines[at.line - 1].startswith(words, at.column)

    def _follows(self, at: Point) -> str:
        """The next character of the line that is no blank; lines may be a megabyte."""
        line = self.lines[at.line - 1]
        blanks = _BLANKS.match(line, at.column)
        return line[blanks.end() : blanks.end() + 1] if blanks else ""

    def text(self, one: Point, other: Point) -> str:
        """Everything between two points."""
        if one.line == other.line:
            return self.lines[one.line - 1][one.column : other.column]
        first, *between, last = self.lines[one.line - 1 : other.line]
        return "\n".join([first[one.column :], *between, last[: other.column]])

    def next(self, at: Point) -> Point:
        """The next point where code goes on: behind blanks, comments and lines."""
        line, column = at
        while line <= len(self.lines):
            text = self.lines[line - 1]
            blanks = _INNER.match(text, column)
            begin = blanks.end() if blanks else column
            code = text[begin : begin + 2]
            goes_on = code == "\\" and begin + 1 == len(text)
            if code and code[0] != "#" and not goes_on:
                return Point(line, begin)
            line, column = line + 1, 0
        return Point(line, column)

    def indent(self, line: int) -> str:
        """The blanks that a line begins with."""
        blanks = _BLANKS.match(self.lines[line - 1])
        return blanks[0] if blanks else ""

    def span(self, one: Point, other: Point | None = None) -> Span:
        """A range as a fact; in a notebook by cell."""
        other = other or one
        first = 1
        for cell in self.module.text.cells:
            if cell.first <= one.line:
                first = cell.first
        return Span(
            line=one.line - first + 1,
            column=one.column + 1,
            end_line=other.line - first + 1,
            end_column=other.column + 1,
        )

    def of(self, node: ast.AST) -> Span:
        """The range of a node."""
        return self.span(self.start(node), self.end(node))

    def same(self, node: ast.expr) -> bool:
        """Is it really what stands there? Old Pythons lose their way in f-strings."""
        known = self._same.get(id(node))
        if known is None:
            known = self._same[id(node)] = self._stands(node)
        return known

    def bound(self, node: ast.AST) -> set[str]:
        """The names that a part of the file binds."""
        known = self._bound.get(id(node))
        if known is None:
            known = self._bound[id(node)] = bound_in(node)
        return known

    def _stands(self, node: ast.expr) -> bool:
        text = self.text(self.start(node), self.end(node))
        try:
            found = ast.parse(f"({text}\n)", mode="eval").body
            return ast.dump(found) == ast.dump(node)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                yield block
