"""Where statements stand: the blocks around a node, and whole lines of them."""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipedoctor.source.syntax.source_text import SourceText, TextPosition
from pipedoctor.source.syntax.walk import find_nodes, statement_blocks


class StatementPosition(NamedTuple):
    """A statement, by its block and its index there."""

    block: list[ast.stmt]
    block_index: int

    @property
    def statement(self) -> ast.stmt:
        """The statement itself."""
        return self.block[self.block_index]

    @property
    def next_statements(self) -> list[ast.stmt]:
        """What follows it in its block."""
        return self.block[self.block_index + 1 :]


def find_statement_path(tree: ast.AST, node: ast.AST) -> list[StatementPosition]:
    """The statements around a node, the outermost first; its own is the last."""
    found: list[StatementPosition] = []
    inner = _find_inner_statement(tree, node)
    while inner is not None:
        found.append(inner)
        inner = _find_inner_statement(inner.statement, node)
    return found


def _find_inner_statement(outer: ast.AST, node: ast.AST) -> StatementPosition | None:
    for block in statement_blocks(outer):
        for number, statement in enumerate(block):
            if _contains_node(statement, node):
                return StatementPosition(block, number)
    return None


def _contains_node(statement: ast.stmt, node: ast.AST) -> bool:
    return _start_position(statement) <= _start_position(node) and _end_position(
        node
    ) <= _end_position(statement)


def _start_position(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _end_position(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0


def first_line(statement: ast.stmt) -> int:
    """Where it begins, with its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(one.lineno for one in decorators)])


def start_with_comments(source: SourceText, statement: ast.stmt) -> TextPosition:
    """The beginning of a statement with its decorators and the comments on it."""
    line = first_line(statement)
    while line > 1 and _is_movable_comment(source.lines[line - 2], line - 1):
        line -= 1
    return TextPosition(line, 0)


def _is_movable_comment(text: str, number: int) -> bool:
    """Is it a comment, and none that has to be where the file begins?"""
    start = text.lstrip()
    bound = number <= 2 and ("coding" in start or start.startswith("#!"))  # noqa: PLR2004
    return start.startswith("#") and not bound


def is_alone_on_lines(source: SourceText, statement: ast.stmt) -> bool:
    """Does nothing else stand on its lines, but a comment behind it?"""
    return source.is_line_start(source.node_start(statement)) and source.is_line_end(
        source.node_end(statement)
    )


def find_indent_unit(source: SourceText, inner: ast.stmt, outer: ast.stmt) -> str:
    """By what a block is indented; four blanks where that cannot be seen."""
    deep, flat = source.indentation(inner.lineno), source.indentation(outer.lineno)
    fits = deep.startswith(flat) and len(deep) > len(flat)
    return deep.removeprefix(flat) if fits else "    "


def lines_to_indent(
    source: SourceText, statements: Sequence[ast.stmt], next_statement: ast.stmt | None = None
) -> str | None:
    """
    Those that move when these statements do, as ``3-9,12-14``; comments with them.

    Lines within a string stay, as they are part of it, and blank ones. None: there
    is something else on the first or the last line.
    """
    first, last = source.node_start(statements[0]), source.node_end(statements[-1])
    begin = (
        source.node_end(next_statement).line + 1 if next_statement else first_line(statements[0])
    )
    if not source.is_line_start(first) or not source.is_line_end(last):
        return None
    held = {n for one in statements for n in _lines_in_strings(source, one)}
    offset = begin - source.make_span(TextPosition(begin, 0)).line
    numbers = [
        number - offset
        for number in range(begin, last.line + 1)
        if number not in held and source.lines[number - 1].strip()
    ]
    return _format_ranges(numbers)


def _lines_in_strings(source: SourceText, statement: ast.stmt) -> Iterator[int]:
    """The lines that begin within a string."""
    for node in find_nodes(statement, (ast.Constant, ast.JoinedStr)):
        value = node.value if isinstance(node, ast.Constant) else ""
        if isinstance(value, (str, bytes)):
            start, end = source.node_start(node), source.node_end(node)
            between = source.text_between(start, end) if end.line > start.line else ""
            if '"""' in between or "'''" in between or "\\\n" in between:
                yield from range(start.line + 1, end.line + 1)


def _format_ranges(numbers: list[int]) -> str:
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(f"{one}-{other}" for one, other in found)
