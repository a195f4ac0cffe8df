"""Batches that are augmented in the training process: as arrays, or by transforms."""

import ast
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.training.host_tensors import makes_tensor_of
from pipedoctor.source.syntax.bindings import expression_names
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import contains_node, find_nodes
from pipedoctor.source.values.lattice import ExternalValue

_TRANSFORM_LIBRARIES = ("torchvision.transforms.", "kornia.augmentation.", "albumentations.")

_LIBRARIES = ("torchvision", "kornia", "albumentations")
_DRAWING_CALLS = ("imshow", "savefig", "imsave")
"""A function that shows pictures changes them for that."""


def is_made_tensor_again(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.Call, variable: str
) -> bool:
    """Is a tensor made of the array later in the loop, or in the same expression?"""
    around = step.context.loops[-1] if step.context.loops else None
    within = scope.steps_by_loop.get(id(around), []) if around is not None else scope.steps
    later = [s.node for s in within if getattr(s.node, "lineno", 0) >= node.lineno]
    names = _list_names_made_of(variable, later)
    return any(
        makes_tensor_of(recorder, scope, one, name) and _is_changed_before(later, one, node, names)
        for one in later
        if isinstance(one, ast.Call) and (one.lineno > node.lineno or contains_node(one, node))
        for name in names
    )


def _is_changed_before(
    steps: Iterable[ast.AST], made: ast.Call, node: ast.Call, names: AbstractSet[str]
) -> bool:
    """Is anything done with the array ``x.numpy()`` before a tensor is `made` of it?"""
    given = made.args[0]
    while isinstance(given, ast.Subscript):
        if contains_node(given.slice, node):
            return False  # it says which rows of something else are taken
        if any(one.step is not None for one in _list_slices(given.slice)):
            return True
        given = given.value
    if given is not node and not isinstance(given, ast.Name):
        return True
    return any(
        isinstance(one, (ast.Assign, ast.AugAssign, ast.Call))
        and node.lineno < one.lineno < made.lineno
        and not names.isdisjoint(part.id for part in find_nodes(one, (ast.Name,)))
        for one in steps
    )


def _list_slices(node: ast.expr) -> list[ast.Slice]:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return [one for one in parts if isinstance(one, ast.Slice)]


def _list_names_made_of(variable: str, steps: Iterable[ast.AST]) -> set[str]:
    """A variable, and those that are computed of it: ``y`` of ``y = x.numpy()[:, ::-1]``."""
    found = {variable}
    for one in steps:
        if isinstance(one, ast.Assign) and not found.isdisjoint(expression_names(one.value)):
            found |= {name for target in one.targets for name in expression_names(target)}
    return found


def is_host_transform(
    recorder: EventRecorder, scope: CodeScope, node: ast.Call, on_host: AbstractSet[str]
) -> bool:
    """``transform(images)`` of torchvision or the like, while the batch is on the host?"""
    given = node.args[0] if node.args else None
    if not (isinstance(given, ast.Name) and given.id in on_host):
        return False
    libraries = recorder.project.imported_libraries
    if not isinstance(node.func, (ast.Name, ast.Attribute)) or libraries.isdisjoint(_LIBRARIES):
        return False
    if any(scope.find_calls(name) for name in _DRAWING_CALLS):
        return False
    evaluator = recorder.loader_flow.evaluator
    values = evaluator.evaluate(node.func, evaluator.frame_of(scope))
    return any(
        isinstance(one, ExternalValue) and one.name.startswith(_TRANSFORM_LIBRARIES)
        for one in values
    )
