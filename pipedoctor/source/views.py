"""Parts that share what they were taken from: of files, of containers, of arrays."""

import ast
from collections.abc import Iterator

from pipedoctor.source.scope import Scope, key_of

_PARTS = {"begin", "cursor", "get", "require_dataset", "require_group"}
"""Methods of a handle whose result reads from it."""


def views(init: Scope, key: str) -> Iterator[str]:
    """``self.images = self.file["images"]``, ``self.txn = self.env.begin()``."""
    for name, values in init.bound.items():
        if name.startswith("self.") and name != key:
            if any(_view(value, key) for value, _ in values):
                yield name


def _view(node: ast.expr, key: str) -> bool:
    """A part by its name: what is cut out of it, ``[:]`` or ``[()]``, is in memory."""
    part = node
    while True:
        if isinstance(part, ast.Subscript) and _names(part.slice):
            part = part.value
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            if part.func.attr not in _PARTS:
                return False
            part = part.func.value
        else:
            return part is not node and key_of(part) == key


def _names(node: ast.expr) -> bool:
    return not isinstance(node, (ast.Slice, ast.Tuple)) and not (
        isinstance(node, ast.Constant) and node.value is ...
    )


def container_of(value: ast.expr) -> str:
    """``self.x`` of ``self.x[i]``, of ``self.x[i]["y"]``; empty for anything else."""
    places: list[ast.expr] = []
    while isinstance(value, ast.Subscript):
        places.append(value.slice)
        value = value.value
    named = any(isinstance(one, ast.Name) for one in places)
    if not all(isinstance(one, (ast.Name, ast.Constant)) for one in places):
        return ""
    return key_of(value) if len(places) == 1 or named else ""


def uncut(node: ast.expr) -> ast.expr:
    """``x`` of ``x[:, 0:3]``: what only arrays know is a view of the same memory."""
    return node.value if isinstance(node, ast.Subscript) and _cuts(node.slice) else node


def _cuts(node: ast.expr) -> bool:
    parts = node.elts if isinstance(node, ast.Tuple) else []
    plain = (ast.Slice, ast.Constant, ast.UnaryOp)
    return any(isinstance(one, ast.Slice) for one in parts) and all(
        isinstance(one, plain) for one in parts
    )
