"""Code that a variable of its own function switches off: ``plot = False``."""

import ast

from pipedoctor.source.syntax.context import CodeContext, GuardCondition
from pipedoctor.source.syntax.scope import CodeScope


def runs_never(scope: CodeScope, context: CodeContext) -> bool:
    """Does it stand behind ``if plot:``, where the function only says ``plot = False``?"""
    return any(is_never_so(scope, guard) for guard in context.guards)


def is_never_so(scope: CodeScope, guard: GuardCondition) -> bool:
    """Is it a condition that holds only if somebody edits the file?"""
    test = guard.test
    if not guard.holds or not isinstance(test, ast.Name) or scope.has_parameter(test.id):
        return False
    given = scope.bindings.get(test.id, ())
    return bool(given) and all(
        isinstance(value, ast.Constant) and value.value is False for value, _ in given
    )
