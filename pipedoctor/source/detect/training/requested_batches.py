"""What calls enter with a batch, and batches that functions take: ``batch = next(it)``."""

import ast
from collections.abc import Iterable, Iterator, Sequence

from pipedoctor.source.detect.flow_state import flow_names
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.training.gradient_reads import list_model_readers
from pipedoctor.source.resolve.call_fit import MethodFit, describe_call
from pipedoctor.source.resolve.returned_values import is_abstract
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import is_self_expression, last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.values.lattice import ExternalValue

_MAX_METHODS = 4
"""Classes of a project that have a method of one name."""


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
    if scope.name.rpartition(".")[2] in list_model_readers(recorder):
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
    yield from found or _find_named_methods(recorder, scope, node)
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


def _find_named_methods(
    recorder: EventRecorder, scope: CodeScope, node: ast.Call
) -> Iterator[tuple[CodeScope, ClassDefinition]]:
    """``model.set_input(batch)`` of a parameter: of the few classes that have such a method."""
    func = node.func
    if not isinstance(func, ast.Attribute) or not _is_telling(func.attr):
        return
    owners = recorder.project.classes_by_method.get(func.attr, ())
    classes = [cls for cls in owners if not cls.module.is_test]
    if not 0 < len(classes) <= _MAX_METHODS or _is_known(recorder, scope, func.value):
        return
    shape = describe_call(node)
    for cls in classes:
        method = cls.methods[func.attr]
        if MethodFit(method).accepts(shape) and not is_abstract(method):
            yield method, cls


def _is_telling(name: str) -> bool:
    """Of several words, as nothing is called that all kinds of objects have."""
    return "_" in name.strip("_")


def _is_known(recorder: EventRecorder, scope: CodeScope, node: ast.expr) -> bool:
    """Is it ``self``, something of a library, or an object whose class is known?"""
    if is_self_expression(node) or not isinstance(node, (ast.Name, ast.Attribute)):
        return True
    evaluator = recorder.loader_flow.evaluator
    if evaluator.is_foreign(node, scope):
        return True
    values = evaluator.evaluate(node, evaluator.frame_of(scope))
    return any(not isinstance(one, ExternalValue) or "." in one.name for one in values)
