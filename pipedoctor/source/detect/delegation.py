"""Methods that only hand their work on: which function does it, and with which parameter."""

import ast
from typing import NamedTuple

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.arguments import match_arguments
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.values.lattice import InstanceValue

_MAX_DEPTH = 4


class WorkingFunction(NamedTuple):
    """The function that does the work of a method, and its name for a parameter."""

    scope: CodeScope
    parameter: str


def follow_delegation(
    recorder: EventRecorder, cls: ClassDefinition, method: CodeScope, parameter: str = ""
) -> WorkingFunction:
    """``return self.load(index)``: on to the function that is called, and so on."""
    current = WorkingFunction(method, parameter)
    owner: InstanceValue | None = InstanceValue(cls)
    for _ in range(_MAX_DEPTH):
        call = _find_only_call(current.scope)
        if call is None:
            break
        frame = recorder.loader_flow.evaluator.frame_of(current.scope, owner)
        callees = list(recorder.call_graph.callables.callees_of(call.func, frame))
        if len(callees) != 1 or callees[0].scope is current.scope:
            break
        target, owner = callees[0]
        names = {
            name: value.id
            for name, value in match_arguments(target, call)
            if isinstance(value, ast.Name)
        }
        mine = next((name for name, its in names.items() if its == current.parameter), "")
        if parameter and not mine:
            break
        current = WorkingFunction(target, mine)
    return current


def _find_only_call(scope: CodeScope) -> ast.Call | None:
    """The call whose result is all that a function returns or yields."""
    body = [one for one in getattr(scope.node, "body", []) if not _is_docstring(one)]
    if len(body) == 2:  # noqa: PLR2004  (a loop over steps, and what they have made)
        return _find_step_call(*body)
    if len(body) != 1:
        return None
    (statement,) = body
    value = getattr(statement, "value", None)
    if isinstance(statement, ast.Expr) and isinstance(value, ast.YieldFrom):
        value = value.value
    elif not isinstance(statement, ast.Return):
        return None
    return value if isinstance(value, ast.Call) else None


def _find_step_call(loop: ast.stmt, last: ast.stmt) -> ast.Call | None:
    """``for step in self.steps: item = step(item)``, where ``item`` is returned."""
    if not (isinstance(loop, ast.For) and isinstance(last, ast.Return) and len(loop.body) == 1):
        return None
    made = loop.body[0]
    if not (isinstance(made, ast.Assign) and isinstance(made.value, ast.Call)):
        return None
    names = {one.id for one in made.targets if isinstance(one, ast.Name)}
    returned = isinstance(last.value, ast.Name) and last.value.id in names
    given = {one.id for one in made.value.args if isinstance(one, ast.Name)}
    return made.value if returned and names & given else None


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
