"""Lists with a Python object for each sample, by the functions that make them."""

import ast
from collections.abc import Collection, Mapping
from functools import partial

from pipedoctor.facts.code_events.dataset import ObjectList
from pipedoctor.source.detect.dataset.element_uses import uses_elements
from pipedoctor.source.detect.dataset.list_fillings import find_keyed_appends
from pipedoctor.source.detect.dataset.object_lists import is_converted_to_array
from pipedoctor.source.detect.dataset.row_objects import RowObjectFinder
from pipedoctor.source.detect.delegation import follow_delegation
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.dataset_classes import find_dataset_method
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.values.lattice import ExternalValue

ANNOTATION_INDICES: Mapping[str, str] = {
    "pycocotools.coco.COCO": "https://github.com/cocodataset/cocoapi",
    "xtcocotools.coco.COCO": "https://github.com/jin-s13/xtcocoapi",
    "lvis.LVIS": "https://github.com/lvis-dataset/lvis-api",
    "lvis.lvis.LVIS": "https://github.com/lvis-dataset/lvis-api",
    "nuscenes.NuScenes": "https://github.com/nutonomy/nuscenes-devkit",
    "nuscenes.nuscenes.NuScenes": "https://github.com/nutonomy/nuscenes-devkit",
}
"""Classes of libraries that keep a dictionary for each annotation, with their sources."""


def record_sample_lists(
    recorder: EventRecorder, cls: ClassDefinition, recorded: Collection[int] = ()
) -> None:
    """
    ``self.lines = file.readlines()``, where the items of the dataset are these lines.

    `recorded`: steps that are known to put objects into lists, by identity.
    """
    samples = _find_sample_attributes(recorder, cls)
    _record_annotation_indices(recorder, cls)
    finder = RowObjectFinder(recorder)
    for scope in recorder.project.all_methods(cls):
        if id(scope) not in recorder.call_graph.init_scopes:
            continue
        for key in sorted(samples | _find_listed_attributes(recorder, cls, scope)):
            if is_converted_to_array(scope, key):
                continue
            asked = key if key in samples else ""
            finder.is_used = partial(_uses_elements, recorder, cls, asked)
            for value, step in scope.bindings.get(key, ()):
                if id(step.node) in recorded or _is_cut_of(value, key):
                    continue
                if finder.makes_objects(scope, value):
                    recorder.add_event(ObjectList(), scope, step, key, node=value)
            for step in finder.find_filled(scope, key):
                if id(step.node) in recorded:
                    continue
                recorder.add_event(ObjectList(), scope, step, key)


def _uses_elements(recorder: EventRecorder, cls: ClassDefinition, key: str) -> bool:
    """Do items use the elements of a list of samples as records or paths?"""
    return bool(key) and uses_elements(recorder, cls, key)


def _is_cut_of(value: ast.expr, key: str) -> bool:
    """``self.rows = self.rows[:9]``: fewer of those that are there already."""
    if not isinstance(value, ast.Subscript) or not isinstance(value.slice, ast.Slice):
        return False
    return binding_key(value.value) == key


def _find_listed_attributes(
    recorder: EventRecorder, cls: ClassDefinition, scope: CodeScope
) -> set[str]:
    """Dictionaries of lists that this method fills, and items are made of."""
    keys = {key for key in scope.bindings if key.startswith("self.")}
    filled = {key for key in keys if any(find_keyed_appends(scope, key))}
    if not filled:
        return filled
    worker = [m for m in recorder.project.all_methods(cls) if recorder.is_item_code(m)]
    return {key for key in filled if any(key in one.self_loads for one in worker)}


def _record_annotation_indices(recorder: EventRecorder, cls: ClassDefinition) -> None:
    """``self.coco = COCO(path)``: dictionaries of all annotations, in the dataset."""
    if recorder.project.imported_full_names.isdisjoint(ANNOTATION_INDICES):
        return
    evaluator = recorder.loader_flow.evaluator
    for scope in recorder.project.all_methods(cls):
        if id(scope) not in recorder.call_graph.init_scopes:
            continue
        for key, values in scope.bindings.items():
            for value, step in values if key.startswith("self.") else ():
                made = evaluator.evaluate(value, evaluator.frame_of(scope))
                if any(isinstance(x, ExternalValue) and x.name in ANNOTATION_INDICES for x in made):
                    recorder.add_event(ObjectList(), scope, step, key, node=value)


def _find_sample_attributes(recorder: EventRecorder, cls: ClassDefinition) -> set[str]:
    """What has an element for each item: its length is theirs, or their index picks from it."""
    found: set[str] = set()
    length = find_dataset_method(recorder.project, cls, "__len__")
    for step in length.find_calls("len") if length is not None else ():
        node = step.node
        if isinstance(node, ast.Call) and node.args:
            found |= _container_keys(length, node.args[0])
    method = find_dataset_method(recorder.project, cls, "__getitem__")
    if method is not None and len(method.parameters) > 1:
        scope, index = follow_delegation(recorder, cls, method, method.parameters[1].arg)
        for step in scope.steps_by_type.get(ast.Subscript, ()):
            node = step.node
            if isinstance(node, ast.Subscript) and _is_picked_by(scope, node.slice, index):
                found |= _container_keys(scope, node.value)
    return {key for key in found if key.startswith("self.")}


def _container_keys(scope: CodeScope | None, node: ast.expr) -> set[str]:
    """``self.files`` of ``self.files[split]``, or of a variable that stands for it."""
    while isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        node = node.value
    if isinstance(node, ast.Name) and scope is not None:
        given = [value for value, _ in scope.bindings.get(node.id, ())]
        ways = [part for one in given for part in _list_choices(one)]
        return {key for one in ways if (key := binding_key(one)).startswith("self.")}
    return {binding_key(node)}


def _list_choices(node: ast.expr) -> list[ast.expr]:
    return [node.body, node.orelse] if isinstance(node, ast.IfExp) else [node]


def _is_picked_by(scope: CodeScope, node: ast.expr, index: str) -> bool:
    """``index``, ``index % n``, ``self.order[index]``, or a name for this: of one item."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mod, ast.FloorDiv, ast.Sub)):
        return _is_picked_by(scope, node.left, index)
    if isinstance(node, ast.Call) and last_name(node.func) == "int" and node.args:
        return _is_picked_by(scope, node.args[0], index)
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Name) and node.slice.id == index
    if not isinstance(node, ast.Name):
        return False
    given = [value for value, _ in scope.bindings.get(node.id, ())]
    picked = (isinstance(one, ast.Subscript) and _is_picked_by(scope, one, index) for one in given)
    return node.id == index or (bool(given) and all(picked))
