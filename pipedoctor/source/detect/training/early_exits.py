"""Steps behind ``if step % 50: return``, which happen at an interval only."""

import ast

from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.context import CodeStep, GuardCondition
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes


def list_passed_intervals(
    project: Project, scope: CodeScope, step: CodeStep
) -> list[GuardCondition]:
    """
    The conditions on an interval under which the function or the turn has ended before.

    Not one that all the training behind it is left out by: what is read is read in each step.
    """
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
        if _counts(node.test) and not _trains_behind(project, scope, node)
    ]


def _trains_behind(project: Project, scope: CodeScope, test: ast.If) -> bool:
    """Does what follows go backward, itself or in a function that it calls?"""
    names = {site.scope.name.rpartition(".")[2] for site in project.find_call_sites("backward")}
    names.add("backward")
    last = test.end_lineno or test.lineno
    return any(
        isinstance(one.node, ast.Call)
        and one.node.lineno > last
        and last_name(one.node.func) in names
        for one in scope.calls
    )


def list_all_guards(project: Project, scope: CodeScope, step: CodeStep) -> list[GuardCondition]:
    """These conditions, and those that stand around the step."""
    return [*list_passed_intervals(project, scope, step), *step.context.guards]


def _counts(test: ast.expr) -> bool:
    """``(step + 1) % every != 0``."""
    return any(
        isinstance(one.op, ast.Mod) and not isinstance(one.left, (ast.Constant, ast.JoinedStr))
        for one in find_nodes(test, (ast.BinOp,))
    )
