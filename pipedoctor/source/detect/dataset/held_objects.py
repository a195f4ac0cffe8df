"""Objects that a dataset keeps from its start on: they are copied into workers with it."""

import ast
from collections.abc import Iterator

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.values.lattice import InstanceValue


def find_held_classes(recorder: EventRecorder, cls: ClassDefinition) -> Iterator[ClassDefinition]:
    """Classes of the project whose objects make items, and are not made by them."""
    for callee in recorder.call_graph.callees_of_dataset.get(cls.full_name, ()):
        owner = callee.owner
        if owner is None or owner.call is None or owner.frame is None:
            continue
        made_late = id(owner.frame.scope) in recorder.call_graph.item_scopes
        if not made_late and owner.cls.full_name not in recorder.call_graph.datasets:
            yield owner.cls


def reads_from_outside(recorder: EventRecorder, cls: ClassDefinition, names: set[str]) -> set[str]:
    """Attributes of a dataset that functions read which make its items, but are not its own."""
    found: set[str] = set()
    mine = {id(method) for method in recorder.project.all_methods(cls)}
    for callee in recorder.call_graph.callees_of_dataset.get(cls.full_name, ()):
        if id(callee.scope) not in mine:
            found |= _read_attributes(recorder, callee.scope, cls, callee.owner, names - found)
    return found


def _read_attributes(
    recorder: EventRecorder,
    scope: CodeScope,
    cls: ClassDefinition,
    owner: InstanceValue | None,
    names: set[str],
) -> set[str]:
    evaluator = recorder.loader_flow.evaluator
    frame = evaluator.frame_of(scope, owner)
    return {
        node.attr
        for node in scope.attribute_nodes
        if node.attr in names and isinstance(node.ctx, ast.Load)
        for value in evaluator.evaluate(node.value, frame)
        if isinstance(value, InstanceValue) and value.cls is cls
    }
