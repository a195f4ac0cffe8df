"""Lambdas that an object keeps: they cannot be sent to workers by every start method."""

import ast

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.call_arguments import find_default
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope

_KEEPERS = {"defaultdict", "partial", "Compose"}
"""They keep what they are given first."""


def find_kept_lambda(recorder: EventRecorder, init: CodeScope, value: ast.expr) -> ast.expr | None:
    """A lambda that stays on self: itself, a default, handed on to an object; or what makes it."""
    if isinstance(value, ast.Lambda):
        return value
    if isinstance(value, ast.Name):
        default = find_default(init.node, value.id)
        return default if isinstance(default, ast.Lambda) else None
    for part in _list_kept_parts(value):
        kept = find_kept_lambda(recorder, init, part)
        if kept is not None:
            return kept
    if _makes_lambda(recorder, init, value):
        return value
    if isinstance(value, ast.Call):
        found = recorder.project.find_definition(value.func, init.module)
        stored = isinstance(found, ClassDefinition)
        if stored or last_name(value.func) == "Lambda":
            for one in [*value.args, *(word.value for word in value.keywords)]:
                if isinstance(one, ast.Lambda):
                    return one
                if isinstance(one, ast.Name) and stored:
                    default = find_default(init.node, one.id)
                    if isinstance(default, ast.Lambda):
                        return default
    return None


def _makes_lambda(recorder: EventRecorder, init: CodeScope, value: ast.expr) -> bool:
    """``self.steps = self.make_steps()``, which returns a lambda, or a function within it."""
    if not isinstance(value, ast.Call):
        return False
    return any(
        isinstance(part, ast.Lambda)
        or (isinstance(part, ast.Name) and part.id in target.local_functions)
        for target, _ in recorder.call_graph.resolve_call(value.func, init, init.owner)
        for one in returned_values(target)
        for part in (one, *_list_kept_parts(one))
    )


def _list_kept_parts(value: ast.expr) -> list[ast.expr]:
    """What a container, a composition or a partial keeps: ``[f, g]``, ``defaultdict(f)``."""
    if isinstance(value, (ast.List, ast.Tuple)):
        return value.elts
    if isinstance(value, ast.Dict):
        return value.values
    if isinstance(value, ast.IfExp):
        return [value.body, value.orelse]
    if isinstance(value, ast.Call) and last_name(value.func) in _KEEPERS:
        return value.args[:1]
    return []
