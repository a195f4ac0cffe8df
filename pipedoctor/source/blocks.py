"""Where statements stand: the blocks around a node, and whole lines of them."""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipedoctor.source.pen import Pen, Point
from pipedoctor.source.walk import nodes


class Place(NamedTuple):
    """A statement in its block."""

    block: list[ast.stmt]
    number: int

    @property
    def statement(self) -> ast.stmt:
        """The statement itself."""
        return self.block[self.number]

    @property
    def rest(self) -> list[ast.stmt]:
        """What follows it in its block."""
        return self.block[self.number + 1 :]


def path_to(tree: ast.AST, node: ast.AST) -> list[Place]:
    """The statements around a node, the outermost first; its own is the last."""
    found: list[Place] = []
    inner = _inside(tree, node)
    while inner is not None:
        found.append(inner)
        inner = _inside(inner.statement, node)
    return found


def _inside(outer: ast.AST, node: ast.AST) -> Place | None:
    for block in blocks_of(outer):
        for number, statement in enumerate(block):
            if _covers(statement, node):
                return Place(block, number)
    return None


def blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks that a statement or a module holds."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block
    for name in ("handlers", "cases"):
        for one in getattr(node, name, ()):
            yield one.body


def _covers(statement: ast.stmt, node: ast.AST) -> bool:
    return _begin(statement) <= _begin(node) and _end(node) <= _end(statement)


def _begin(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _end(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0


def first_line(statement: ast.stmt) -> int:
    """Where it begins, with its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(one.lineno for one in decorators)])


def above(pen: Pen, statement: ast.stmt) -> Point:
    """The beginning of a statement with its decorators and the comments on it."""
    line = first_line(statement)
    while line > 1 and _comment(pen.lines[line - 2], line - 1):
        line -= 1
    return Point(line, 0)


def _comment(text: str, number: int) -> bool:
    """Is it a comment, and none that has to be where the file begins?"""
    start = text.lstrip()
    bound = number <= 2 and ("coding" in start or start.startswith("#!"))  # noqa: PLR2004
    return start.startswith("#") and not bound


def alone(pen: Pen, statement: ast.stmt) -> bool:
    """Does nothing else stand on its lines, but a comment behind it?"""
    return pen.opens(pen.start(statement)) and pen.ends(pen.end(statement))


def unit_of(pen: Pen, inner: ast.stmt, outer: ast.stmt) -> str:
    """By what a block is indented; four blanks where that cannot be seen."""
    deep, flat = pen.indent(inner.lineno), pen.indent(outer.lineno)
    fits = deep.startswith(flat) and len(deep) > len(flat)
    return deep.removeprefix(flat) if fits else "    "


def lines_to_indent(
    pen: Pen, statements: Sequence[ast.stmt], after: ast.stmt | None = None
) -> str | None:
    """
    Those that move when these statements do, as ``3-9,12-14``; comments with them.

    Lines within a string stay, as they are part of it, and blank ones. None: there
    is something else on the first or the last line.
    """
    first, last = pen.start(statements[0]), pen.end(statements[-1])
    begin = pen.end(after).line + 1 if after else first_line(statements[0])
    if not pen.opens(first) or not pen.ends(last):
        return None
    held = {n for one in statements for n in _held(pen, one)}
    offset = begin - pen.span(Point(begin, 0)).line
    numbers = [
        number - offset
        for number in range(begin, last.line + 1)
        if number not in held and pen.lines[number - 1].strip()
    ]
    return _ranges(numbers)


def _held(pen: Pen, statement: ast.stmt) -> Iterator[int]:
    """The lines that begin within a string."""
    for node in nodes(statement, (ast.Constant, ast.JoinedStr)):
        value = node.value if isinstance(node, ast.Constant) else ""
        if isinstance(value, (str, bytes)):
            start, end = pen.start(node), pen.end(node)
            said = pen.text(start, end) if end.line > start.line else ""
            if '"""' in said or "'''" in said or "\\\n" in said:
                yield from range(start.line + 1, end.line + 1)


def _ranges(numbers: list[int]) -> str:
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(f"{one}-{other}" for one, other in found)
