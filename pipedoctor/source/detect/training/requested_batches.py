"""Batches that functions take from an iterator: ``batch = next(it)``."""

import ast
from collections.abc import Iterable, Iterator, Sequence

from pipedoctor.source.detect.flow_state import flow_names
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.training.gradient_reads import list_gradient_readers
from pipedoctor.source.detect.training.named_methods import find_named_methods
from pipedoctor.source.resolve.returned_values import is_abstract
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope


def find_requested_names(
    recorder: EventRecorder, scope: CodeScope, steps: Iterable[CodeStep]
) -> set[str]:
    """The variables that are given a batch by ``next``, or by a function that calls it."""
    found: set[str] = set()
    for step in steps:
        one = step.node
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call):
            name = last_name(one.value.func)
            if name in recorder.loader_flow.requesting_names and (
                name == "next" or recorder.loader_flow.find_batches(one.value, scope)
            ):
                found |= {n for target in one.targets for n in flow_names(target)}
    return found


def has_own_tensors(recorder: EventRecorder, scope: CodeScope) -> bool:
    """Does a function, or one that it calls, take a batch itself, or read gradients?"""
    names = recorder.loader_flow.taking_names
    if scope.name.rpartition(".")[2] in list_gradient_readers(recorder):
        return True
    return any(
        isinstance(one.node, ast.Call) and last_name(one.node.func) in names for one in scope.calls
    )


def list_entered(
    recorder: EventRecorder, scope: CodeScope, node: ast.Call, mine: ClassDefinition | None
) -> Sequence[tuple[CodeScope, ClassDefinition | None]]:
    """The functions that a call enters, if they do anything; of ``next(it)`` ``__next__``."""
    key = (id(node), id(scope), mine)
    known = recorder.entered_by_call.get(key)
    if known is None:
        known = recorder.entered_by_call[key] = tuple(
            one for one in _find_entered(recorder, scope, node, mine) if not is_abstract(one[0])
        )
    return known


def _find_entered(
    recorder: EventRecorder, scope: CodeScope, node: ast.Call, mine: ClassDefinition | None
) -> Iterator[tuple[CodeScope, ClassDefinition | None]]:
    found = [*recorder.call_graph.resolve_call(node.func, scope, mine)]
    yield from found or find_named_methods(recorder, scope, node)
    if isinstance(node.func, ast.Name) and node.func.id == "next" and len(node.args) == 1:
        for cls in recorder.call_graph.infer_classes(node.args[0], scope, mine):
            method = recorder.project.find_method(cls, "__next__")
            if method is not None:
                yield method, cls


def unfold_partial(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> ast.Call:
    """``losses(net, batch)`` for ``step()``, where ``step = partial(losses, net, batch)``."""
    given = scope.bindings.get(node.func.id, ()) if isinstance(node.func, ast.Name) else ()
    for value, _ in given:
        if isinstance(value, ast.Call) and last_name(value.func) == "partial" and value.args:
            known = recorder.unfolded_partials.get(id(node))
            if known is None:
                arguments = [*value.args[1:], *node.args]
                words = [*value.keywords, *node.keywords]
                known = ast.copy_location(ast.Call(value.args[0], arguments, words), node)
                recorder.unfolded_partials[id(node)] = known
            return known
    return node
