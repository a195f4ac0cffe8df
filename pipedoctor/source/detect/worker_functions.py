"""Which functions a loader sends to its workers, and where each is written."""

import ast

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
    transform: tuple[ast.Lambda, CodeScope] | None,
) -> None:
    """Record lambdas and local functions among the arguments of a loader."""
    if transform is not None:
        _record_function(recorder, transform[1], transform[0], transform[0])
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
    recorder: EventRecorder, scope: CodeScope, node: ast.expr, location: ast.expr
) -> None:
    recorder.add_event(WorkerFunction(), scope, CodeStep(node, CodeContext()), node=location)


def find_transform_lambda(
    recorder: EventRecorder, loader: ResolvedLoaderCall
) -> tuple[ast.Lambda, CodeScope] | None:
    """A lambda among the transforms that the dataset of a loader is given."""
    given = loader.arguments.get("dataset")
    if given is None:
        return None
    for node, scope in _assigned_values(recorder, given.node, given.scope):
        if not isinstance(node, ast.Call):
            continue
        for part in [*node.args, *(word.value for word in node.keywords)]:
            for value, its in _assigned_values(recorder, part, scope):
                for one in find_nodes(value, (ast.Call,)):
                    first = one.args[0] if one.args else None
                    if last_name(one.func) == "Lambda" and isinstance(first, ast.Lambda):
                        return first, its
    return None


def _assigned_values(
    recorder: EventRecorder, node: ast.expr, scope: CodeScope
) -> list[tuple[ast.expr, CodeScope]]:
    key = binding_key(node)
    found = list(recorder.values.find_assignments(key, scope)) if key else []
    return found or [(node, scope)]
