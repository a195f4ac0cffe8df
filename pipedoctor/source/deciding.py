"""Who asks for a value: the course of a function, or ``print``."""

import ast

from pipedoctor.source.scope import Scope, key_of
from pipedoctor.source.values import written
from pipedoctor.source.walk import holds, nodes

_ASKING = (ast.If, ast.While)


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
    return any(
        part is node or (isinstance(part, ast.expr) and key_of(part) in names - {""})
        for test in tests
        for part in ast.walk(test)
    )


def shows(node: ast.Call, how: str, results: set[str]) -> bool:
    """Does ``print`` or ``float`` ask for the value of something just computed?"""
    if how == "float":
        first = node.args[0] if node.args else None
        return isinstance(first, ast.Name) and first.id in results
    names = {n.id for a in node.args for n in ast.walk(a) if isinstance(n, ast.Name)}
    told = any(".item()" in written(one) for one in node.args)
    return bool(names & results) and not told
