"""Whether something is made where it is not there yet, and kept for later steps."""

import ast

from pipedoctor.source.syntax.context import CodeContext
from pipedoctor.source.syntax.expressions import is_self_expression, last_name
from pipedoctor.source.syntax.scope import CodeScope


def is_made_once(context: CodeContext, scope: CodeScope) -> bool:
    """``if key not in kept:``, ``if self.mask is None or ...``: only where nothing fits yet."""
    return any(
        (guard.holds and _asks_for_missing(guard.test, scope))
        or _is_attribute_missing(guard.test, holds=guard.holds)
        for guard in context.guards
    )


def _is_attribute_missing(test: ast.expr, *, holds: bool) -> bool:
    """``if not hasattr(self, "queue"):``."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _is_attribute_missing(test.operand, holds=not holds)
    return (
        not holds
        and isinstance(test, ast.Call)
        and last_name(test.func) == "hasattr"
        and bool(test.args)
        and is_self_expression(test.args[0])
    )


def _asks_for_missing(test: ast.expr, scope: CodeScope) -> bool:
    """Is something not there yet? Whether an argument is given is another question."""
    if isinstance(test, ast.BoolOp):
        return any(_asks_for_missing(one, scope) for one in test.values)
    if not isinstance(test, ast.Compare):
        return False
    if isinstance(test.ops[0], ast.Is) and isinstance(test.comparators[0], ast.Constant):
        given = isinstance(test.left, ast.Name) and test.left.id in scope.parameter_names
        return test.comparators[0].value is None and not given
    return isinstance(test.ops[0], ast.NotIn)
