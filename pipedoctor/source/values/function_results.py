"""What functions return and yield by their own statements."""

import ast

from pipedoctor.source.syntax.scope import CodeScope

_YIELDS = (ast.Yield, ast.YieldFrom)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


def own_returns(node: ast.AST) -> list[ast.expr]:
    """What a function returns itself, and not the functions within it."""
    found: list[ast.expr] = []
    queue: list[ast.AST] = list(getattr(node, "body", ()))
    for one in queue:
        if isinstance(one, ast.Return):
            if one.value is not None:
                found.append(one.value)
        elif not isinstance(one, _DEFINITIONS):
            for name in _BLOCKS:
                queue += getattr(one, name, ())
    return found


def is_generator(scope: CodeScope) -> bool:
    """Is it a generator, by its own statements?"""
    return any(
        not step.context.inner for kind in _YIELDS for step in scope.steps_by_type.get(kind, ())
    )
