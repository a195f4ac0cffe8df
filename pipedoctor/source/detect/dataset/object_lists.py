"""Lists of Python objects that grow while a dataset is made."""

import ast
from collections.abc import Iterable, Iterator

from pipedoctor.facts.code_events.dataset import ObjectList
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.bindings import expression_names
from pipedoctor.source.syntax.context import CodeStep, LoopNode
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes

_ARRAY_CONSTRUCTORS = {
    "array",
    "asarray",
    "stack",
    "tensor",
    "as_tensor",
    "DataFrame",
    "Series",
    "NumpySerializedList",
    "TorchSerializedList",
}
_PACKING_FUNCTIONS = {"frombuffer", "concatenate", "cat"}
_ARRAY_ATTRIBUTES = {"shape", "ndim", "dtype", "sum", "mean", "astype"}


def record_object_lists(recorder: EventRecorder, methods: Iterable[CodeScope]) -> set[int]:
    """Lists of Python objects that grow while the dataset is made: at which steps, by identity."""
    recorded: set[int] = set()
    for scope in methods:
        if id(scope) not in recorder.call_graph.init_scopes:
            continue
        recorded |= _record_listed_objects(recorder, scope)
        for step, key, item in find_appends(scope):
            value = item
            if isinstance(item, ast.Name) and item.id in scope.bindings:
                value = scope.bindings[item.id][-1][0]
            kept = key.startswith("self.") or _is_kept_by_dataset(recorder, scope, key)
            varies = varies_in_loop(step, value) and not is_converted_to_array(scope, key)
            if isinstance(value, (ast.Dict, ast.Tuple, ast.List)) and kept and varies:
                node = _find_inner_list(scope, value) or value
                recorder.add_event(ObjectList(filled=True), scope, step, key, node=node)
                recorded.add(id(step.node))
    return recorded


def _record_listed_objects(recorder: EventRecorder, scope: CodeScope) -> set[int]:
    """``self.rows = [(name, label) for ...]``: one object for each element."""
    recorded: set[int] = set()
    for key, values in scope.bindings.items():
        for value, step in values:
            if isinstance(value, ast.ListComp) and isinstance(value.elt, (ast.Dict, ast.Tuple)):
                if not key.startswith("self.") and not _is_kept_by_dataset(recorder, scope, key):
                    continue
                fixed = all(is_written_out(one.iter) for one in value.generators)
                bound = {n for one in value.generators for n in expression_names(one.target)}
                varies = bool(bound & expression_names(value.elt))
                table = is_converted_to_array(scope, key) or _holds_arrays(scope, key)
                if varies and not fixed and not table:
                    recorder.add_event(ObjectList(filled=True), scope, step, key, node=value)
                    recorded.add(id(step.node))
    return recorded


def _holds_arrays(scope: CodeScope, key: str) -> bool:
    """``[v.shape for v, m in self.volumes]``: are its elements large, and so not many?"""
    names: set[str] = set()
    for comprehension in find_nodes(scope.node, (ast.comprehension,)):
        if binding_key(comprehension.iter) == key:
            names |= expression_names(comprehension.target)
    return any(
        one.attr in _ARRAY_ATTRIBUTES and isinstance(one.value, ast.Name) and one.value.id in names
        for one in scope.attribute_nodes
    )


def is_written_out(node: ast.expr) -> bool:
    """Is it as long as it is written?"""
    if isinstance(node, ast.Call):
        name = last_name(node.func)
        parts = name in {"enumerate", "zip"} and all(map(is_written_out, node.args))
        return name == "range" or parts
    return isinstance(node, (ast.Tuple, ast.List, ast.Dict))


def find_appends(scope: CodeScope) -> Iterator[tuple[CodeStep, str, ast.expr]]:
    """``rows.append(x)`` and ``rows += [x]`` in loops: to which list, and what."""
    for step in scope.calls:
        node = step.node
        if isinstance(node, ast.Call) and step.context.loops and node.args:
            func = node.func
            if isinstance(func, ast.Attribute) and func.attr == "append":
                yield step, binding_key(func.value), node.args[0]
    for step in scope.steps_by_type.get(ast.AugAssign, ()):
        node = step.node
        if isinstance(node, ast.AugAssign) and step.context.loops:
            if isinstance(node.op, ast.Add) and isinstance(node.value, ast.List):
                for one in node.value.elts[:1]:
                    yield step, binding_key(node.target), one


def _find_inner_list(scope: CodeScope, value: ast.expr) -> ast.expr | None:
    """A list within each record: where it is made."""
    parts = value.values if isinstance(value, ast.Dict) else []
    for part in parts:
        if isinstance(part, ast.Name) and part.id in scope.bindings:
            made = scope.bindings[part.id][-1][0]
            call = isinstance(made, ast.Call) and last_name(made.func) == "list"
            if call or isinstance(made, ast.ListComp):
                return made
    return None


def varies_in_loop(step: CodeStep, value: ast.expr) -> bool:
    """Does it come from the loop, is it not the same whenever it is kept, nor a few of them?"""
    if all(map(_is_short, step.context.loops)):
        return False
    made = {
        part.id
        for loop in step.context.loops
        for part in find_nodes(loop, (ast.Name,))
        if isinstance(part.ctx, ast.Store)
    }
    return any(isinstance(n, ast.Name) and n.id in made for n in ast.walk(value))


def _is_short(loop: LoopNode) -> bool:
    """``for view in range(49)``, ``for side in ("left", "right")``: as often as it is written."""
    if not isinstance(loop, ast.For):
        return False
    if isinstance(loop.iter, ast.Call) and last_name(loop.iter.func) == "range":
        return all(isinstance(one, ast.Constant) for one in loop.iter.args)
    return isinstance(loop.iter, (ast.Tuple, ast.List)) and is_written_out(loop.iter)


def is_converted_to_array(scope: CodeScope, key: str) -> bool:
    """
    ``self.rows = np.array(self.rows)``: does it become a table afterwards?

    Also by a class of the same file that packs what it is given into one array, or by what
    nobody sees here, where something asks for its shape.
    """
    return _is_asked_as_array(scope, key) or any(
        isinstance(value, ast.Call)
        and (last_name(value.func) in _ARRAY_CONSTRUCTORS or _is_packed(scope, value.func))
        and any(binding_key(one) == key for one in value.args)
        for values in scope.bindings.values()
        for value, _ in values
    )


def _is_asked_as_array(scope: CodeScope, key: str) -> bool:
    """``self.rows.shape[0]``: does a method of the class ask for what only arrays have?"""
    methods = scope.owner.methods.values() if scope.owner and key.startswith("self.") else [scope]
    return any(
        one.attr in _ARRAY_ATTRIBUTES and binding_key(one.value) == key
        for method in methods
        for one in method.attribute_nodes
    )


def _is_packed(scope: CodeScope, func: ast.expr) -> bool:
    """``Packed(rows)``: a class that joins what it is given, and keeps an array of bytes."""
    cls = scope.module.classes.get(func.id) if isinstance(func, ast.Name) else None
    made = cls.methods.get("__init__") if cls else None
    return made is not None and any(
        isinstance(step.node, ast.Call) and last_name(step.node.func) in _PACKING_FUNCTIONS
        for step in made.calls
    )


def _is_kept_by_dataset(
    recorder: EventRecorder, scope: CodeScope, key: str, depth: int = 3
) -> bool:
    """Does a local list come to stay on the dataset, here or in who asked for it?"""
    for name, values in scope.bindings.items():
        same = any(isinstance(value, ast.Name) and value.id == key for value, _ in values)
        if same and name.startswith("self."):
            return True
    if any(_is_passed_to_base(step.node, key) for step in scope.calls):
        return True
    returned = any(
        isinstance(n, ast.Name) and n.id == key
        for step in scope.steps_by_type.get(ast.Return, [])
        for n in ast.walk(step.node)
    )
    return returned and depth > 0 and _is_kept_by_callers(recorder, scope, depth)


def _is_kept_by_callers(recorder: EventRecorder, scope: CodeScope, depth: int) -> bool:
    for site in recorder.project.find_callers(scope):
        if id(site.scope) not in recorder.call_graph.init_scopes:
            continue
        for name, values in site.scope.bindings.items():
            mine = any(n is site.node for value, _ in values for n in ast.walk(value))
            if mine and name.startswith("self."):
                return True
            if mine and _is_kept_by_dataset(recorder, site.scope, name, depth - 1):
                return True
        if any(
            n is site.node
            for step in site.scope.steps_by_type.get(ast.Return, [])
            for n in ast.walk(step.node)
        ):
            return _is_kept_by_callers(recorder, site.scope, depth - 1)
    return False


def _is_passed_to_base(node: ast.AST, key: str) -> bool:
    """``super().__init__(rows)``: a base class keeps it."""
    return (
        isinstance(node, ast.Call)
        and last_name(node.func) == "__init__"
        and any(binding_key(one) == key for one in [*node.args, *(w.value for w in node.keywords)])
    )
