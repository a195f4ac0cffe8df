"""Steps behind ``if step % 50: return``, which happen at an interval only."""

import ast

from pipedoctor.source.syntax.context import CodeStep, GuardCondition
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes


def list_passed_intervals(scope: CodeScope, step: CodeStep) -> list[GuardCondition]:
    """The conditions on an interval under which the function or the turn has ended before."""
    ends = scope.turn_ends
    if not ends:
        return []
    line = getattr(step.node, "lineno", 0)
    loops, guards = step.context.loops, step.context.guards
    return [
        GuardCondition(node.test, holds=False)
        for its in ends
        if isinstance(node := its.node, ast.If) and node.lineno < line
        if its.context.loops == loops[: len(its.context.loops)]
        if its.context.guards == guards[: len(its.context.guards)]
        if not isinstance(node.body[-1], ast.Continue) or its.context.loops == loops
        if _counts(node.test)
    ]


def list_all_guards(scope: CodeScope, step: CodeStep) -> list[GuardCondition]:
    """These conditions, and those that stand around the step."""
    return [*list_passed_intervals(scope, step), *step.context.guards]


def _counts(test: ast.expr) -> bool:
    """``(step + 1) % every != 0``."""
    return any(
        isinstance(one.op, ast.Mod) and not isinstance(one.left, (ast.Constant, ast.JoinedStr))
        for one in find_nodes(test, (ast.BinOp,))
    )
