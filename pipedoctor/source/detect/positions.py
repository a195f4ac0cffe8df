"""Where parts of a function stand: in a loop, in an expression, in a constructor."""

import ast
from collections.abc import Iterable

from pipedoctor.source.syntax.context import LoopNode
from pipedoctor.source.syntax.scope import CodeScope


def is_inside_loops(node: ast.AST, loops: Iterable[LoopNode]) -> bool:
    """Does it stand in one of these loops?"""
    line: int = getattr(node, "lineno", 0)
    return any(loop.lineno < line <= (loop.end_lineno or 0) for loop in loops)


def is_within(node: ast.AST, value: ast.expr) -> bool:
    """Is a node a part of an expression, by where it stands?"""
    line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
    begin = (value.lineno, value.col_offset)
    return begin <= (line, column) < (value.end_lineno or 0, value.end_col_offset or 0)


def is_initializer(target: CodeScope) -> bool:
    """Is it ``__init__``? What an object stores for later use is not followed."""
    return target.name.endswith("__init__")
