"""What functions return and yield by their own statements."""

import ast

from pipedoctor.source.syntax.scope import CodeScope

_YIELDS = (ast.Yield, ast.YieldFrom)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def own_returns(node: ast.AST) -> list[ast.expr]:
    """What a function returns itself, and not the functions within it."""
    found: list[ast.expr] = []
    queue: list[ast.AST] = list(getattr(node, "body", ()))
    while queue:
        one = queue.pop(0)
        if isinstance(one, ast.Return) and one.value is not None:
            found.append(one.value)
        if not isinstance(one, (*_FUNCTIONS, ast.ClassDef, ast.expr)):
            queue.extend(ast.iter_child_nodes(one))
    return found


def is_generator(scope: CodeScope) -> bool:
    """Is it a generator, by its own statements?"""
    return any(
        not step.context.inner for kind in _YIELDS for step in scope.steps_by_type.get(kind, ())
    )
