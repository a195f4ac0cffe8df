"""Who asks for a value: the course of a function, or ``print``."""

import ast

from pipedoctor.source.project import last_name
from pipedoctor.source.scope import Scope, key_of
from pipedoctor.source.values import written
from pipedoctor.source.walk import holds, nodes

_ASKING = (ast.If, ast.While)
_ORDER = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_FINITE = {"isnan", "isinf", "isfinite"}


def decides(scope: Scope, node: ast.AST) -> bool:
    """Is it asked in a condition: itself, or by the name that keeps it?"""
    names = {
        key
        for key, values in scope.bound.items()
        if any(holds(value, node) for value, _ in values)
    } | {
        key_of(one.target)
        for step in scope.of_type.get(ast.AugAssign, [])
        if isinstance(one := step.node, ast.AugAssign) and holds(one.value, node)
    }
    tests = [
        one.test
        for kind in _ASKING
        for step in scope.of_type.get(kind, [])
        if isinstance(one := step.node, _ASKING)
    ]
    tests += [one.test for one in nodes(scope.node, (ast.Assert,))]
    root = _asked_of(node)
    if root and any(_looks_at(part, root) for test in tests for part in ast.walk(test)):
        return True
    return any(
        part is node or (isinstance(part, ast.expr) and key_of(part) in names - {""})
        for test in tests
        for part in ast.walk(test)
    )


def _asked_of(node: ast.AST) -> str:
    """``x`` of ``x.item()`` and of ``float(x)``."""
    if not isinstance(node, ast.Call):
        return ""
    inner = node.func.value if isinstance(node.func, ast.Attribute) else node.args[:1]
    one = inner[0] if isinstance(inner, list) and inner else inner
    return one.id if isinstance(one, ast.Name) else ""


def _looks_at(part: ast.AST, name: str) -> bool:
    """``loss == 0``, ``isnan(loss)``: does it wait for the value itself?"""
    if isinstance(part, ast.Compare):
        sides = [part.left, *part.comparators]
        values = all(isinstance(op, _ORDER) for op in part.ops)
        return values and any(isinstance(x, ast.Name) and x.id == name for x in sides)
    return (
        isinstance(part, ast.Call)
        and last_name(part.func) in _FINITE
        and any(isinstance(x, ast.Name) and x.id == name for x in part.args)
    )


def shows(node: ast.Call, how: str, results: set[str]) -> bool:
    """Does ``print`` or ``float`` ask for the value of something just computed?"""
    if how == "float":
        first = node.args[0] if node.args else None
        return isinstance(first, ast.Name) and first.id in results
    names = {n.id for a in node.args for n in ast.walk(a) if isinstance(n, ast.Name)}
    told = any(".item()" in written(one) for one in node.args)
    return bool(names & results) and not told
