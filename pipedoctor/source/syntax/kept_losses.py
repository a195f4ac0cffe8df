"""What a statement keeps for later: the terms of a sum, what a list or a meter is given."""

import ast
from collections.abc import Sequence
from typing import NamedTuple


class KeptParts(NamedTuple):
    """Expressions, and what holds them from then on."""

    holder: ast.expr
    parts: Sequence[ast.expr]
    is_list: bool = False


_NOTHING = KeptParts(ast.Constant(None), ())


def list_kept_parts(node: ast.AST) -> KeptParts:
    """
    The terms of ``total += a``, ``total = total + a``, ``kept.append(a)``, ``meter.update(a)``.

    Factors of a term count as well: ``total += a * n``.
    """
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        return KeptParts(node.target, _split(node.value))
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        return _read_sum(node.targets[0], node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        method, holder = node.func.attr, node.func.value
        if method == "append" and len(node.args) == 1:
            one = node.args[0]
            parts = one.elts if isinstance(one, (ast.Tuple, ast.List)) else [one]
            return KeptParts(holder, parts, is_list=True)
        if method in {"update", "add"}:
            return KeptParts(holder, node.args[:1])
    return _NOTHING


def _read_sum(target: ast.expr, value: ast.expr) -> KeptParts:
    """``total = total + a``, ``total = a + total``."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        others = [one for one in (value.left, value.right) if not _is_written_as(one, target)]
        if len(others) == 1:
            return KeptParts(target, _split(others[0]))
    return _NOTHING


def _is_written_as(node: ast.expr, target: ast.expr) -> bool:
    """Is it what is assigned to, by how both are written?"""
    if type(node) is not type(target):
        return False
    if isinstance(node, ast.Name) and isinstance(target, ast.Name):
        return node.id == target.id
    return ast.unparse(node) == ast.unparse(target)


def _split(value: ast.expr) -> list[ast.expr]:
    return [value.left, value.right] if isinstance(value, ast.BinOp) else [value]
