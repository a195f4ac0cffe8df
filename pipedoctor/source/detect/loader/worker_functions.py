"""Which functions a loader sends to its workers, and where each is written."""

import ast
from collections.abc import Sequence

from pipedoctor.facts.code_events.program import WorkerFunction
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.keyword_dictionary import ArgumentExpression
from pipedoctor.source.resolve.loader_calls import ResolvedLoaderCall
from pipedoctor.source.syntax.context import CodeContext, CodeStep
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes

_FUNCTION_ARGUMENTS = ("collate_fn", "worker_init_fn")


def record_worker_functions(
    recorder: EventRecorder,
    loader: ResolvedLoaderCall,
    transforms: Sequence[tuple[ast.Lambda, CodeScope]],
) -> None:
    """Record lambdas and local functions among the arguments of a loader."""
    for node, scope in transforms:
        _record_function(recorder, scope, node, node, "transform")
    for name in _FUNCTION_ARGUMENTS:
        given = loader.arguments.get(name)
        found = _find_unpicklable(recorder, given) if given is not None else None
        if given is not None and found is not None:
            _record_function(recorder, given.scope, found, given.node)


def _find_unpicklable(recorder: EventRecorder, argument: ArgumentExpression) -> ast.expr | None:
    """The lambda itself, or the name of a function within this one."""
    node = argument.node
    if isinstance(node, ast.Lambda):
        return node
    if isinstance(node, ast.Name) and node.id in argument.scope.local_functions:
        return node
    values = list(recorder.values.find_assignments(binding_key(node), argument.scope))
    one = values[0] if len(values) == 1 else None
    mine = one is not None and one[1].module is argument.scope.module
    return one[0] if one and mine and isinstance(one[0], ast.Lambda) else None


def _record_function(
    recorder: EventRecorder, scope: CodeScope, node: ast.expr, location: ast.expr, name: str = ""
) -> None:
    step = CodeStep(node, CodeContext())
    recorder.add_event(WorkerFunction(), scope, step, name, node=location)


def list_transform_lambdas(
    recorder: EventRecorder, loader: ResolvedLoaderCall
) -> list[tuple[ast.Lambda, CodeScope]]:
    """The lambdas among the transforms that the dataset of a loader is given."""
    given = loader.arguments.get("dataset")
    found: list[tuple[ast.Lambda, CodeScope]] = []
    if given is None:
        return found
    for node, scope in _assigned_values(recorder, given.node, given.scope):
        if not isinstance(node, ast.Call):
            continue
        for part in [*node.args, *(word.value for word in node.keywords)]:
            for value, its in _assigned_values(recorder, part, scope):
                for one in find_nodes(value, (ast.Call,)):
                    first = one.args[0] if one.args else None
                    if last_name(one.func) == "Lambda" and isinstance(first, ast.Lambda):
                        found.append((first, its))
    return found


def _assigned_values(
    recorder: EventRecorder, node: ast.expr, scope: CodeScope
) -> list[tuple[ast.expr, CodeScope]]:
    key = binding_key(node)
    found = list(recorder.values.find_assignments(key, scope)) if key else []
    return found or [(node, scope)]
