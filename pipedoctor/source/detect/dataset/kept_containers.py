"""Containers that objects keep: whether their elements stay the same from item to item."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.lattice import ContainerValue


class KeptContainer(NamedTuple):
    """An attribute of an object, by its key in a method."""

    scope: CodeScope
    key: str


def list_given_values(
    recorder: EventRecorder, container: KeptContainer
) -> Iterator[tuple[ast.expr, CodeScope]]:
    """What methods give an attribute, and what its class gives it."""
    scope, key = container
    yield from recorder.values.find_assignments(key, scope)
    for cls in recorder.project.find_bases(scope.owner)[0] if scope.owner else ():
        value = cls.class_attributes.get(key.removeprefix("self."))
        if value is not None:
            yield value, cls.module.body


def keeps_elements(recorder: EventRecorder, container: KeptContainer) -> bool:
    """Does it give the same element each time: is it no dataset, and no queue?"""
    if container.key.endswith(("dataset", "_ds", ".ds", "datasets", "loader")):
        return False
    given = list(list_given_values(recorder, container))
    if given and all(_has_empty_parts(value) for value, _ in given):
        return False
    return not any(_may_be_dataset(recorder, *one) for one in given)


def _may_be_dataset(recorder: EventRecorder, value: ast.expr, scope: CodeScope) -> bool:
    """Are its items made again each time, as far as anybody knows?"""
    if recorder.call_graph.infer_classes(value, scope, scope.owner):
        return True
    if not (isinstance(value, ast.Call) and binding_key(value.func).startswith("self.")):
        return False
    evaluator = recorder.loader_flow.evaluator
    made = evaluator.evaluate(value, evaluator.frame_of(scope))
    return not made or not all(isinstance(one, ContainerValue) for one in made)


def _has_empty_parts(value: ast.expr) -> bool:
    """``[[] for _ in range(2)]``: what is filled and emptied, and no sample."""
    if isinstance(value, ast.List):
        return bool(value.elts) and all(map(_is_empty_list, value.elts))
    return isinstance(value, ast.ListComp) and _is_empty_list(value.elt)


def _is_empty_list(node: ast.expr) -> bool:
    return isinstance(node, ast.List) and not node.elts


def is_cache(recorder: EventRecorder, function: CodeScope, key: str) -> bool:
    """Does code fill it as it goes: does it begin empty, or with None for each item?"""
    if not key.startswith("self."):
        return False
    owner = function.owner
    methods = [*recorder.project.all_methods(owner)] if owner is not None else []
    name = key.removeprefix("self.")
    filled = any(
        isinstance(target, ast.Subscript) and last_name(target.value) == name
        for one in (function, *methods)
        for target, _ in one.stores
    )
    given = (value for value, _ in list_given_values(recorder, KeptContainer(function, key)))
    return filled and (owner is None or any(map(_begins_empty, given)))


def _begins_empty(value: ast.expr) -> bool:
    if isinstance(value, ast.IfExp):
        return _begins_empty(value.body) or _begins_empty(value.orelse)
    if isinstance(value, ast.BinOp):
        return isinstance(value.left, ast.List)
    if isinstance(value, ast.Call):
        return not value.args and last_name(value.func) in {"dict", "OrderedDict"}
    return isinstance(value, ast.Dict) and not value.keys
