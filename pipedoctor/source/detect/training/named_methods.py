"""Methods that a call enters by their name alone, where nobody knows the object."""

import ast
from collections.abc import Iterator

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.call_fit import MethodFit, describe_call
from pipedoctor.source.resolve.returned_values import is_abstract
from pipedoctor.source.syntax.expressions import is_self_expression
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.values.lattice import ExternalValue

_MAX_METHODS = 4
"""Classes of a project that have a method of one name."""


def find_named_methods(
    recorder: EventRecorder, scope: CodeScope, node: ast.Call
) -> Iterator[tuple[CodeScope, ClassDefinition]]:
    """``model.set_input(batch)`` of a parameter: of the few classes that have such a method."""
    func = node.func
    if not isinstance(func, ast.Attribute) or not _is_telling(func.attr):
        return
    classes = recorder.classes_by_method.get(func.attr, ())
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
