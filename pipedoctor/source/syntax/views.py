"""Parts that share what they were taken from: of files, of containers, of arrays."""

import ast
from collections.abc import Iterator

from pipedoctor.source.syntax.expressions import binding_key
from pipedoctor.source.syntax.scope import CodeScope

_PART_METHODS = {"begin", "cursor", "get", "require_dataset", "require_group"}
"""Methods of a handle whose result reads from it."""


def find_views(init: CodeScope, key: str) -> Iterator[str]:
    """``self.images = self.file["images"]``, ``self.txn = self.env.begin()``."""
    for name, values in init.bindings.items():
        if name.startswith("self.") and name != key:
            if any(_is_view(value, key) for value, _ in values):
                yield name


def find_root_name(node: ast.expr) -> str:
    """``x`` of ``x``, ``x[0]``, ``x["box"][0]``."""
    whole = strip_subscripts(node)
    return whole.id if isinstance(whole, ast.Name) else ""


def strip_subscripts(node: ast.expr) -> ast.expr:
    """``self.x`` of ``self.x["box"][0]``: what it is a part of."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def _is_view(node: ast.expr, key: str) -> bool:
    """A part by its name: what is cut out of it, ``[:]`` or ``[()]``, is in memory."""
    part = node
    while True:
        if isinstance(part, ast.Subscript) and _is_plain_index(part.slice):
            part = part.value
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            if part.func.attr not in _PART_METHODS:
                return False
            part = part.func.value
        else:
            return part is not node and binding_key(part) == key


def _is_plain_index(node: ast.expr) -> bool:
    return not isinstance(node, (ast.Slice, ast.Tuple)) and not (
        isinstance(node, ast.Constant) and node.value is ...
    )


def find_own_key(node: ast.expr, scope: CodeScope) -> str:
    """The same as `binding_key`; ``self.x`` of ``Rows.x`` in a method of ``Rows``, too."""
    if isinstance(node, ast.Attribute) and scope.owner is not None:
        owner = node.value
        if isinstance(owner, ast.Name) and owner.id in {scope.owner.name, "cls"}:
            return f"self.{node.attr}"
        if isinstance(owner, ast.Attribute) and owner.attr == "__class__":
            return f"self.{node.attr}"
    return binding_key(node)


def find_container(value: ast.expr, scope: CodeScope) -> str:
    """``self.x`` of ``self.x[i]``, of ``self.x[i]["y"]``; empty for anything else."""
    places: list[ast.expr] = []
    while isinstance(value, ast.Subscript):
        places.append(value.slice)
        value = value.value
    named = any(isinstance(one, ast.Name) for one in places)
    if not all(isinstance(one, (ast.Name, ast.Constant)) for one in places):
        return ""
    return find_own_key(value, scope) if len(places) == 1 or named else ""


def strip_slices(node: ast.expr) -> ast.expr:
    """``x`` of ``x[:, 0:3]``: what only arrays know is a view of the same memory."""
    return node.value if isinstance(node, ast.Subscript) and _is_array_slice(node.slice) else node


def _is_array_slice(node: ast.expr) -> bool:
    parts = node.elts if isinstance(node, ast.Tuple) else []
    plain = (ast.Slice, ast.Constant, ast.UnaryOp)
    return any(isinstance(one, ast.Slice) for one in parts) and all(
        isinstance(one, plain) for one in parts
    )
