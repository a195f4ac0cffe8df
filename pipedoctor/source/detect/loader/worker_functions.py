"""Which functions a loader sends to its workers, and where each is written."""

import ast
from collections.abc import Iterator, Sequence

from pipedoctor.facts.code_events.program import WorkerFunction
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.arguments import match_arguments
from pipedoctor.source.resolve.keyword_dictionary import ArgumentExpression
from pipedoctor.source.resolve.loader_calls import ResolvedLoaderCall
from pipedoctor.source.syntax.context import CodeContext, CodeStep
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.evaluator import Evaluator
from pipedoctor.source.values.lattice import (
    ContainerValue,
    ExternalValue,
    InstanceValue,
    LocalFunctionValue,
    TupleValue,
    Value,
    Values,
)

_MAX_NESTING = 5
"""Compositions within compositions of transforms."""
_KEEPING = frozenset(
    ("Compose", "Lambda", "RandomApply", "RandomChoice", "RandomOrder", "OneOf", "Sequential")
)
"""Transforms that keep what they are given first."""
_CALLED_ARGUMENTS = frozenset(
    ("transform", "target_transform", "transforms", "loader", "is_valid_file")
)
"""Of datasets of libraries."""
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
    """The lambdas that the dataset of a loader keeps, itself or among its transforms."""
    evaluator = recorder.loader_flow.evaluator
    found: dict[ast.Lambda, CodeScope] = {}
    seen: dict[Value, int] = {}
    """What was looked into, and how deep: the same lists are held by many others."""
    for dataset in recorder.loader_flow.evaluate_argument(loader, "dataset"):
        if not isinstance(dataset, (InstanceValue, ExternalValue)):
            continue
        if dataset.call is None or dataset.frame is None:
            continue
        kept = _list_kept_arguments(recorder, dataset, dataset.call)
        for given in (*dataset.call.args, *(word.value for word in dataset.call.keywords)):
            values = evaluator.evaluate(given, dataset.frame)
            if given not in kept:  # who knows what becomes of a lambda alone
                values = frozenset(x for x in values if not isinstance(x, LocalFunctionValue))
            found.update(_lambdas_in(evaluator, values, _MAX_NESTING, seen))
    return sorted(found.items(), key=lambda one: (one[0].lineno, one[0].col_offset))


def _list_kept_arguments(
    recorder: EventRecorder, dataset: InstanceValue | ExternalValue, call: ast.Call
) -> list[ast.expr]:
    """What a call gives a dataset to call later: of a class of the project what it keeps."""
    if isinstance(dataset, ExternalValue):
        return [one.value for one in call.keywords if one.arg in _CALLED_ARGUMENTS]
    init = recorder.project.find_method(dataset.cls, "__init__")
    if init is None:
        return []
    kept = {
        value.id
        for key, values in init.bindings.items()
        for value, _ in values
        if key.startswith("self.") and isinstance(value, ast.Name)
    }
    return [value for name, value in match_arguments(init, call) if name in kept]


def _lambdas_in(
    evaluator: Evaluator, values: Values, depth: int, seen: dict[Value, int]
) -> Iterator[tuple[ast.Lambda, CodeScope]]:
    """Lambdas themselves, in a list, and in ``Compose`` and ``Lambda`` of a library."""
    for value in values if depth else ():
        if seen.get(value, 0) >= depth:
            continue
        seen[value] = depth
        if isinstance(value, LocalFunctionValue) and isinstance(value.node, ast.Lambda):
            yield value.node, value.frame.scope
        elif isinstance(value, (ContainerValue, TupleValue)):
            yield from _lambdas_in(evaluator, evaluator.item(value, None), depth - 1, seen)
        elif isinstance(value, ExternalValue) and last_name(value.call.func) in _KEEPING:
            for one in value.call.args[:1]:
                inner = evaluator.evaluate(one, value.frame)
                yield from _lambdas_in(evaluator, inner, depth - 1, seen)
