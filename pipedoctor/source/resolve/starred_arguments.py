"""What ``*rows`` gives a call: a tuple that is written out, or a function's own ``*args``."""

import ast
from collections.abc import Iterator

from pipedoctor.source.syntax.context import CodeStep, can_coincide
from pipedoctor.source.syntax.scope import CodeScope


def expand_starred(
    given: list[ast.expr], scope: CodeScope, step: CodeStep
) -> tuple[list[ast.expr], bool]:
    """The expressions of positions, and whether none is left out."""
    found: list[ast.expr] = []
    for one in given:
        if not isinstance(one, ast.Starred):
            found.append(one)
            continue
        parts = _find_parts(one.value, scope, step)
        if parts is None:
            return found, False
        found += parts
    return found, True


def _find_parts(node: ast.expr, scope: CodeScope, step: CodeStep) -> list[ast.expr] | None:
    """The elements of a tuple or list, itself or by the one variable that holds it."""
    if isinstance(node, ast.Name):
        given = scope.bindings.get(node.id, scope.module.body.bindings.get(node.id, []))
        ways = [value for value, its in given if can_coincide(its.context, step.context)]
        if len(ways) != 1 or node.id in scope.parameter_names:
            return None
        node = ways[0]
    if isinstance(node, (ast.Tuple, ast.List)):
        return None if any(isinstance(one, ast.Starred) for one in node.elts) else list(node.elts)
    return None


def pass_positions(scope: CodeScope, call: ast.Call, site: ast.Call) -> Iterator[ast.expr | None]:
    """
    What `call` is given by position where it ends with ``*args`` of its own function.

    `site`: a call of that function. None: a position that the function itself fills.
    """
    args = None if isinstance(scope.node, ast.Module) else scope.node.args
    last = call.args[-1] if call.args else None
    if args is None or args.vararg is None or not isinstance(last, ast.Starred):
        return
    if not (isinstance(last.value, ast.Name) and last.value.id == args.vararg.arg):
        return
    own = len(scope.parameters) - (scope.owner is not None)
    rest = site.args[own:]
    if any(isinstance(one, ast.Starred) for one in (*call.args[:-1], *site.args)):
        return
    yield from (None for _ in call.args[:-1])
    yield from rest
