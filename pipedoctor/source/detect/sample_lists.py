"""Lists with a Python object for each sample, by the functions that make them."""

import ast
from collections.abc import Iterator, Mapping

from pipedoctor.facts.code_events.dataset import ObjectList
from pipedoctor.source.detect.delegation import follow_delegation
from pipedoctor.source.detect.object_lists import (
    find_appends,
    is_converted_to_array,
    is_written_out,
    varies_in_loop,
)
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.values.lattice import ExternalValue

_MAX_DEPTH = 4
_LIST_FUNCTIONS = {
    "glob.glob",
    "os.listdir",
    "json.load",
    "json.loads",
    "natsort.natsorted",
    "msgpack.loads",
    "msgpack.unpackb",
    "orjson.loads",
    "pyarrow.deserialize",
    "ujson.load",
    "ujson.loads",
    "yaml.safe_load",
}
_SPLITTERS = {"split", "rsplit", "splitext", "partition", "rpartition"}
ANNOTATION_INDICES: Mapping[str, str] = {
    "pycocotools.coco.COCO": "https://github.com/cocodataset/cocoapi",
    "xtcocotools.coco.COCO": "https://github.com/jin-s13/xtcocoapi",
    "lvis.LVIS": "https://github.com/lvis-dataset/lvis-api",
    "lvis.lvis.LVIS": "https://github.com/lvis-dataset/lvis-api",
    "nuscenes.NuScenes": "https://github.com/nutonomy/nuscenes-devkit",
    "nuscenes.nuscenes.NuScenes": "https://github.com/nutonomy/nuscenes-devkit",
}
"""Classes of libraries that keep a dictionary for each annotation, with their sources."""
_LIST_METHODS = {"readlines", "splitlines", "tolist", "to_list", "rglob", "glob", "iterdir"}
"""Of files, strings, arrays, tables and paths: they give an object for each line or row."""
_WRAPPERS = {"list", "sorted", "natsorted", "tuple", "filter", "map", "set"}
_OBJECT_MAKERS = {
    *("join", "strip", "rstrip", "lstrip", "split", "format", "replace", "lower", "decode"),
    *("int", "float", "str", "tuple", "dict", "list", "basename", "splitext", "Path"),
}
"""What returns a string, a number or a small container, for an element of a list."""


def record_sample_lists(recorder: EventRecorder, cls: ClassDefinition) -> None:
    """``self.lines = file.readlines()``, where the items of the dataset are these lines."""
    samples = _find_sample_attributes(recorder, cls)
    _record_annotation_indices(recorder, cls)
    for scope in recorder.project.all_methods(cls) if samples else ():
        if id(scope) not in recorder.call_graph.init_scopes:
            continue
        for key in sorted(samples):
            if is_converted_to_array(scope, key):
                continue
            for value, step in scope.bindings.get(key, ()):
                if _makes_objects(recorder, scope, value, _MAX_DEPTH):
                    recorder.add_event(ObjectList(), scope, step, key, node=value)
            for step, added in _find_extensions(scope, key):
                if _makes_objects(recorder, scope, added, _MAX_DEPTH):
                    recorder.add_event(ObjectList(), scope, step, key)
            for step, appended, item in find_appends(scope):
                if appended == key and (
                    _is_object(recorder, scope, item) or _is_element(recorder, scope, step, item)
                ):
                    recorder.add_event(ObjectList(), scope, step, key)


def _record_annotation_indices(recorder: EventRecorder, cls: ClassDefinition) -> None:
    """``self.coco = COCO(path)``: dictionaries of all annotations, in the dataset."""
    modules = recorder.project.modules
    if not any(ANNOTATION_INDICES.keys() & set(one.imported_names.values()) for one in modules):
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


def _find_extensions(scope: CodeScope, key: str) -> Iterator[tuple[CodeStep, ast.expr]]:
    """``rows.extend(more)``, ``rows += more``: what a list is lengthened by."""
    for step in scope.find_calls("extend"):
        node = step.node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if binding_key(node.func.value) == key:
                yield step, node.args[0]
    for step in scope.steps_by_type.get(ast.AugAssign, ()):
        node = step.node
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            if binding_key(node.target) == key:
                yield step, node.value


def _find_sample_attributes(recorder: EventRecorder, cls: ClassDefinition) -> set[str]:
    """What has an element for each item: its length is theirs, or their index picks from it."""
    found: set[str] = set()
    length = recorder.project.find_method(cls, "__len__")
    for step in length.find_calls("len") if length is not None else ():
        node = step.node
        if isinstance(node, ast.Call) and node.args:
            found.add(binding_key(node.args[0]))
    method = recorder.project.find_method(cls, "__getitem__")
    if method is not None and len(method.parameters) > 1:
        scope, index = follow_delegation(recorder, cls, method, method.parameters[1].arg)
        for step in scope.steps_by_type.get(ast.Subscript, ()):
            node = step.node
            if isinstance(node, ast.Subscript) and _is_picked_by(scope, node.slice, index):
                found.add(binding_key(node.value))
    return {key for key in found if key.startswith("self.")}


def _is_picked_by(scope: CodeScope, node: ast.expr, index: str) -> bool:
    """``index``, ``self.order[index]``, or a name that stands for this: of one item."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Name) and node.slice.id == index
    if not isinstance(node, ast.Name):
        return False
    given = [value for value, _ in scope.bindings.get(node.id, ())]
    picked = (isinstance(one, ast.Subscript) and _is_picked_by(scope, one, index) for one in given)
    return node.id == index or (bool(given) and all(picked))


def _makes_objects(recorder: EventRecorder, scope: CodeScope, value: ast.expr, depth: int) -> bool:
    """Does it give a list of Python objects whose length the data decide?"""
    if depth <= 0:
        return False
    if isinstance(value, ast.Name):
        given = scope.bindings.get(value.id, [])
        if given and isinstance(given[-1][0], ast.List) and not given[-1][0].elts:
            return any(
                key == value.id and varies_in_loop(step, item) and _is_record(recorder, scope, item)
                for step, key, item in find_appends(scope)
            )
        return bool(given) and _makes_objects(recorder, scope, given[-1][0], depth - 1)
    if isinstance(value, ast.Subscript) and _keeps_objects(value.slice):
        return _makes_objects(recorder, scope, value.value, depth - 1)
    if isinstance(value, ast.ListComp):
        fixed = all(_has_fixed_length(one.iter) for one in value.generators)
        return not fixed and (
            _is_object(recorder, scope, value.elt) or _keeps_some(recorder, scope, value, depth)
        )
    if not isinstance(value, ast.Call):
        return False
    name = last_name(value.func)
    if name in _WRAPPERS and isinstance(value.func, ast.Name) and value.args:
        last = value.args[-1] if name in {"filter", "map"} else value.args[0]
        return _picks_column(last) or _makes_objects(recorder, scope, last, depth - 1)
    full = recorder.full_name_of(value.func, scope)
    if full in _LIST_FUNCTIONS:
        return True
    if isinstance(value.func, ast.Attribute) and name in _LIST_METHODS:
        return True
    return any(
        _makes_objects(recorder, target, returned, depth - 1)
        for target, _ in recorder.call_graph.resolve_call(value.func, scope, scope.owner)
        for returned in returned_values(target)
    )


def _is_element(recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.expr) -> bool:
    """``for name in os.listdir(folder): names.append(name)``: an element of such a list?"""
    return isinstance(node, ast.Name) and any(
        isinstance(loop, ast.For)
        and isinstance(loop.target, ast.Name)
        and loop.target.id == node.id
        and _makes_objects(recorder, scope, loop.iter, _MAX_DEPTH)
        for loop in step.context.loops
    )


def _keeps_some(recorder: EventRecorder, scope: CodeScope, value: ast.ListComp, depth: int) -> bool:
    """``[name for name in os.listdir(folder) if ...]``: elements of such a list themselves."""
    kept = value.elt.id if isinstance(value.elt, ast.Name) else ""
    return any(
        isinstance(one.target, ast.Name)
        and one.target.id == kept
        and _makes_objects(recorder, scope, one.iter, depth - 1)
        for one in value.generators
    )


def _keeps_objects(index: ast.expr) -> bool:
    """``rows[:9]``, ``content["annotations"]``: a part that is a list itself."""
    key = isinstance(index, ast.Constant) and isinstance(index.value, str)
    return key or isinstance(index, ast.Slice)


def _has_fixed_length(node: ast.expr) -> bool:
    """``range(9)``, or what is written out."""
    if isinstance(node, ast.Call) and last_name(node.func) == "range":
        return all(isinstance(one, ast.Constant) for one in node.args)
    return is_written_out(node)


def _picks_column(node: ast.expr) -> bool:
    """``table.values[:, 0]``: a column of an array, which becomes a list of objects."""
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "values"
    )


def _is_object(recorder: EventRecorder, scope: CodeScope, node: ast.expr) -> bool:
    """Is it a string or a number? Literal containers are known already (`object_lists`)."""
    if isinstance(node, ast.Name):
        given = list(_own_values(scope, node.id))
        return bool(given) and _is_object(recorder, scope, given[-1])
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        written = any(isinstance(one, (ast.Constant, ast.JoinedStr)) for one in sides)
        calls = (one for one in sides if isinstance(one, ast.Call))
        return written or any(last_name(one.func) in _OBJECT_MAKERS for one in calls)
    if isinstance(node, ast.Subscript):  # a part of it: ``name.split(".")[0]``
        piece = node.value
        makers = _OBJECT_MAKERS if isinstance(node.slice, ast.Slice) else _SPLITTERS
        return isinstance(piece, ast.Call) and last_name(piece.func) in makers
    if isinstance(node, ast.Call):
        return last_name(node.func) in _OBJECT_MAKERS
    return isinstance(node, ast.JoinedStr)


def _is_record(recorder: EventRecorder, scope: CodeScope, node: ast.expr) -> bool:
    """Is it an object, or a tuple, list or dictionary that is written out?"""
    written = isinstance(node, (ast.Tuple, ast.List, ast.Dict))
    return written or _is_object(recorder, scope, node)


def _own_values(scope: CodeScope, name: str) -> Iterator[ast.expr]:
    for value, _ in scope.bindings.get(name, ()):
        if not isinstance(value, ast.Name):
            yield value
