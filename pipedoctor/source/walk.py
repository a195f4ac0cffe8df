"""Nodes of a syntax tree, quicker than `ast` hands them out."""

import ast
from collections.abc import Collection
from typing import TypeVar, cast

Node = TypeVar("Node", bound=ast.AST)

LEAVES: frozenset[type] = frozenset(
    (
        ast.Name,
        ast.Constant,
        str,
        int,
        bool,
        type(None),
        *ast.expr_context.__subclasses__(),
        *ast.operator.__subclasses__(),
        *ast.unaryop.__subclasses__(),
        *ast.cmpop.__subclasses__(),
        *ast.boolop.__subclasses__(),
    )
)
"""What has no parts that anybody asks for."""
_LEAST: frozenset[type] = LEAVES - {ast.Name, ast.Constant}


def branches(top: ast.AST) -> list[ast.AST]:
    """All that `ast.walk` gives, in its order, but for the leaves."""
    return _walked(top, LEAVES)


def nodes(top: ast.AST, kinds: Collection[type[Node]]) -> list[Node]:
    """Those of some kinds that `ast.walk` gives, in its order."""
    found = [node for node in _walked(top, _LEAST) if type(node) in kinds]
    return cast("list[Node]", found)


def holds(value: ast.expr, part: ast.AST) -> bool:
    """Is it this expression, or within it? Nothing is, on other lines."""
    first, last = value.lineno, value.end_lineno or value.lineno
    line: int = getattr(part, "lineno", 0)
    return first <= line <= last and any(n is part for n in ast.walk(value))


def _walked(top: ast.AST, leaves: frozenset[type]) -> list[ast.AST]:
    found = [top]
    for node in found:
        for value in vars(node).values():
            kind = type(value)  # pyright: ignore[reportUnknownVariableType]
            if kind is list:
                many = cast("list[ast.AST]", value)
                found.extend([one for one in many if type(one) not in leaves])
            elif kind not in leaves and isinstance(value, ast.AST):
                found.append(value)
    return found
