"""Conditions on constants, computed: ``"train" == "train"``, ``not False``, ``2 > 0``."""

import ast
import operator
from collections.abc import Callable, Mapping

_COMPARISONS: Mapping[type[ast.cmpop], Callable[[object, object], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Gt: operator.gt,  # type: ignore[dict-item]
    ast.Lt: operator.lt,  # type: ignore[dict-item]
    ast.GtE: operator.ge,  # type: ignore[dict-item]
    ast.LtE: operator.le,  # type: ignore[dict-item]
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


_ARITHMETIC: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: int.__add__,
    ast.Sub: int.__sub__,
    ast.Mult: int.__mul__,
    ast.FloorDiv: int.__floordiv__,
    ast.Mod: int.__mod__,
}


def fold_constants(node: ast.expr) -> ast.expr:
    """The value of an expression on constants, as a constant; else the expression."""
    folded = _fold(node)
    return ast.copy_location(folded, node) if folded is not node else node


def _fold(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _fold(node.operand)
        return ast.Constant(not inner.value) if isinstance(inner, ast.Constant) else node
    if isinstance(node, ast.BinOp):
        return _fold_arithmetic(node)
    if isinstance(node, ast.IfExp):
        test = _fold(node.test)
        if isinstance(test, ast.Constant):
            return _fold(node.body if test.value else node.orelse)
    if isinstance(node, ast.BoolOp):
        return _fold_choice(node)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _fold_comparison(node)
    return node


def _fold_arithmetic(node: ast.BinOp) -> ast.expr:
    left, right, compute = _fold(node.left), _fold(node.right), _ARITHMETIC.get(type(node.op))
    if compute is None or not (isinstance(left, ast.Constant) and isinstance(right, ast.Constant)):
        return node
    if not (isinstance(left.value, int) and isinstance(right.value, int)):
        return node
    try:
        return ast.Constant(compute(left.value, right.value))
    except ZeroDivisionError:
        return node


def _fold_choice(node: ast.BoolOp) -> ast.expr:
    decides = isinstance(node.op, ast.Or)
    for one in node.values:
        value = _fold(one)
        if not isinstance(value, ast.Constant):
            return node
        if bool(value.value) == decides:
            return value
    return _fold(node.values[-1])


def _fold_comparison(node: ast.Compare) -> ast.expr:
    left, right = _fold(node.left), node.comparators[0]
    if isinstance(node.ops[0], (ast.In, ast.NotIn)) and isinstance(left, ast.Constant):
        parts = right.elts if isinstance(right, (ast.Tuple, ast.List, ast.Set)) else []
        known = [one.value for one in parts if isinstance(one, ast.Constant)]
        if parts and len(known) == len(parts):
            return ast.Constant((left.value in known) == isinstance(node.ops[0], ast.In))
        return node
    right = _fold(right)
    compare = _COMPARISONS.get(type(node.ops[0]))
    if compare is None or not (isinstance(left, ast.Constant) and isinstance(right, ast.Constant)):
        return node
    try:
        return ast.Constant(bool(compare(left.value, right.value)))
    except TypeError:
        return node
