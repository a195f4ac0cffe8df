"""What a function returns, as it is written."""

import ast

from pipedoctor.source.syntax.scope import CodeScope


def returned_values(scope: CodeScope) -> list[ast.expr]:
    """What a function may return, itself and not the functions within it."""
    return [
        step.node.value
        for step in scope.steps_by_type.get(ast.Return, [])
        if isinstance(step.node, ast.Return)
        and step.node.value is not None
        and not step.context.inner
    ]


def is_abstract(scope: CodeScope) -> bool:
    """Does it only say that classes that derive from its own have to write it?"""
    if not isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    return all(
        isinstance(one, (ast.Raise, ast.Pass))
        or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        for one in scope.node.body
    )
