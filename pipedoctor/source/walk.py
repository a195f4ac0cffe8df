"""Nodes of a syntax tree, quicker than `ast` hands them out."""

import ast
from collections.abc import Collection
from typing import cast

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
    found = [top]
    for node in found:
        for value in vars(node).values():
            kind = type(value)  # pyright: ignore[reportUnknownVariableType]
            if kind is list:
                nodes = cast("list[ast.AST]", value)
                found.extend([one for one in nodes if type(one) not in LEAVES])
            elif kind not in LEAVES:
                found.append(value)
    return found


def nodes(top: ast.AST, kinds: Collection[type[ast.AST]]) -> list[ast.AST]:
    """Those of some kinds that `ast.walk` gives, in its order."""
    found = [top]
    for node in found:
        for value in vars(node).values():
            kind = type(value)  # pyright: ignore[reportUnknownVariableType]
            if kind is list:
                many = cast("list[ast.AST]", value)
                found.extend([one for one in many if type(one) not in _LEAST])
            elif kind not in _LEAST and isinstance(value, ast.AST):
                found.append(value)
    return [node for node in found if type(node) in kinds]
