"""Containers that code for items reads from end to end: the file is the item."""

import ast

from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes

_COPYING_FUNCTIONS = frozenset(("array", "asarray", "ascontiguousarray"))


def is_read_whole(scope: CodeScope, opening: ast.Call, handle: str) -> bool:
    """``file["x"][:]``, ``np.array(file["y"])``: are all its uses after the opening so?"""
    if not handle.isidentifier():
        return False
    read: set[int] = set()
    closed: set[int] = set()
    """Where it is closed, or asked what it holds."""
    for one in find_nodes(scope.node, (ast.Subscript, ast.Call, ast.Attribute, ast.Compare)):
        part = _find_whole_part(one)
        if isinstance(part, ast.Subscript) and binding_key(part.value) == handle:
            read.add(id(part.value))
        elif isinstance(one, ast.Attribute) and one.attr == "close":
            closed.add(id(one.value))
        elif isinstance(one, ast.Compare):
            closed |= {id(asked) for asked in one.comparators}
    used = {
        id(one)
        for one in find_nodes(scope.node, (ast.Name,))
        if one.id == handle and isinstance(one.ctx, ast.Load)
        if one.lineno >= opening.lineno
    }
    return bool(read) and used <= read | closed


def _find_whole_part(node: ast.AST) -> ast.expr | None:
    """What is read whole by this: ``file["x"]`` of ``file["x"][()]``."""
    if isinstance(node, ast.Subscript):
        return node.value if _is_everything(node.slice) else None
    if isinstance(node, ast.Attribute):
        return node.value if node.attr == "value" else None
    if isinstance(node, ast.Call) and last_name(node.func) in _COPYING_FUNCTIONS:
        return node.args[0] if node.args else None
    return None


def _is_everything(node: ast.expr) -> bool:
    if isinstance(node, ast.Slice):
        return node.lower is None and node.upper is None and node.step is None
    empty = isinstance(node, ast.Tuple) and not node.elts
    return empty or (isinstance(node, ast.Constant) and node.value is ...)
