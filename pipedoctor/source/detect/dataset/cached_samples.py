"""Cached samples that are changed: of a dataset that keeps what it has loaded."""

import ast

from pipedoctor.facts.code_events.dataset import CachedSampleMutation
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.arguments import match_arguments
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.context import CodeStep, can_coincide
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.views import find_container, strip_slices

_CHANGING_METHODS = frozenset(
    ("append", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault", "sort")
) | {"update", "thumbnail", "paste", "fill", "itemset"}
"""Methods of lists, dictionaries, images and arrays that change what they belong to."""
_ARRAY_ATTRIBUTES = frozenset(
    ("shape", "ndim", "transpose", "reshape", "permute", "T", "view", "mean", "std", "min", "max")
)


def record_cached_mutations(recorder: EventRecorder, scope: CodeScope) -> None:
    """``x = self.items[i]``, and later ``x[...] = ...``: the cached one changes."""
    sources: dict[str, str] = {}
    since: dict[str, CodeStep] = {}
    changed: list[tuple[str, CodeStep]] = []
    given_on: set[int] = set()
    for step in scope.steps:
        node = step.node
        if isinstance(node, ast.Assign):
            if isinstance(node.value, ast.Call):
                given_on.add(id(node.value))
                _record_changed_by_callee(recorder, scope, node.value, sources)
            for target in node.targets:
                before = dict(sources)
                _track_element_names(sources, target, node.value)
                sources.update(_find_returned_elements(recorder, scope, target, node.value))
                for name in before.keys() - sources.keys():
                    if not can_coincide(since[name].context, step.context):
                        sources[name] = before[name]
                since.update(dict.fromkeys(sources.keys() - before.keys(), step))
                if isinstance(target, ast.Subscript):
                    changed.append((binding_key(target.value), step))
        elif isinstance(node, (ast.AugAssign, ast.Call)):
            if isinstance(node, ast.Call) and id(node) not in given_on:
                _record_changed_by_callee(recorder, scope, node, sources)
            name = _find_changed_name(node)
            whole = isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
            if name in sources and not (whole and not _is_used_as_array(scope, name)):
                changed.append((name, step))
        for name, its in changed:
            if name in sources and can_coincide(since[name].context, its.context):
                container = sources.pop(name)
                if not (
                    _is_wrapped_dataset(recorder, scope, container)
                    or _holds_queues(recorder, scope, container)
                ):
                    recorder.add_event(CachedSampleMutation(variable=name), scope, its, container)
        changed.clear()


def _record_changed_by_callee(
    recorder: EventRecorder, scope: CodeScope, node: ast.Call, sources: dict[str, str]
) -> None:
    """``x = jitter(x)``, where that says ``x += noise`` of an array that it is given."""
    given = {one.id for one in node.args if isinstance(one, ast.Name) and one.id in sources}
    for function, _ in (
        recorder.call_graph.resolve_call(node.func, scope, scope.owner) if given else ()
    ):
        for name, value in match_arguments(function, node):
            key = value.id if isinstance(value, ast.Name) else ""
            step = _find_first_change(function, name) if key in given else None
            if step is not None and not _is_wrapped_dataset(recorder, scope, sources[key]):
                details = CachedSampleMutation(variable=name)
                recorder.add_event(details, function, step, sources[key])


def _holds_queues(recorder: EventRecorder, scope: CodeScope, container: str) -> bool:
    """``self.buckets = [[] for _ in range(2)]``: what is filled and emptied, and no sample."""
    methods = recorder.project.all_methods(scope.owner) if scope.owner is not None else ()
    made = [value for one in methods for value, _ in one.bindings.get(container, ())]
    return bool(made) and all(map(_has_empty_parts, made))


def _has_empty_parts(value: ast.expr) -> bool:
    if isinstance(value, ast.List):
        return bool(value.elts) and all(map(_is_empty_container, value.elts))
    return isinstance(value, ast.ListComp) and _is_empty_container(value.elt)


def _is_empty_container(node: ast.expr) -> bool:
    return isinstance(node, ast.List) and not node.elts


def _find_first_change(function: CodeScope, name: str) -> CodeStep | None:
    """Where a function changes an array that it is given, if it does nothing to it before."""
    if function.bindings.get(name):
        return None
    for step in function.steps:
        node = step.node
        if isinstance(node, ast.AugAssign) and _find_changed_name(node) == name:
            whole = isinstance(node.target, ast.Name)
            return step if not whole or _is_used_as_array(function, name) else None
    return None


def _find_changed_name(node: ast.AugAssign | ast.Call) -> str:
    """``x`` of ``x[0] += 1``, ``x += noise``, ``x.update(...)``, ``x.mul_(2)``; or nothing."""
    if isinstance(node, ast.AugAssign):
        base = node.target.value if isinstance(node.target, ast.Subscript) else node.target
        return binding_key(base)
    func = node.func
    if not (isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name)):
        return ""
    own = (
        func.attr.endswith("_") and not func.attr.startswith("_") and func.attr != "requires_grad_"
    )
    return func.value.id if own or func.attr in _CHANGING_METHODS else ""


def _is_used_as_array(scope: CodeScope, name: str) -> bool:
    """``x[0]``, ``x.shape``, ``from_numpy(x)``: what no number knows, which ``+=`` replaces."""
    return any(
        isinstance(base, ast.Name) and base.id == name
        for node in ast.walk(scope.node)
        for base in _list_array_bases(node)
    )


def _list_array_bases(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Attribute):
        return [node.value] if node.attr in _ARRAY_ATTRIBUTES else []
    if isinstance(node, ast.Subscript):
        return [node.value]
    if isinstance(node, ast.Call) and last_name(node.func) == "from_numpy":
        return node.args[:1]
    return []


def _track_element_names(sources: dict[str, str], target: ast.expr, value: ast.expr) -> None:
    """Names that stand for an element of a container on self."""
    if isinstance(target, (ast.Tuple, ast.List)):
        pairs = (
            zip(target.elts, value.elts, strict=False)
            if isinstance(value, (ast.Tuple, ast.List))
            else ((one, value) for one in target.elts)
        )
        for one, its in pairs:
            _track_element_names(sources, one, its)
        return
    if not isinstance(target, ast.Name):
        return
    container = find_container(value)
    if container.startswith("self."):
        sources[target.id] = container
        return
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
        part = find_container(value.value)
        if part.startswith("self."):
            sources[target.id] = part  # a view, if it is an array
            return
    same = strip_slices(value)
    if isinstance(same, ast.Name) and same.id in sources:
        sources[target.id] = sources[same.id]
        return
    if sources.get(target.id) and isinstance(value, ast.Subscript):
        # One branch takes it from the cache, another makes it again: still possible.
        if isinstance(value.value, ast.Name) and value.value.id != target.id:
            return
    sources.pop(target.id, None)


def _find_returned_elements(
    recorder: EventRecorder, scope: CodeScope, target: ast.expr, value: ast.expr
) -> dict[str, str]:
    """``image = self.load(name)``, where that returns ``self.kept[name]``, which it fills."""
    if not isinstance(value, ast.Call):
        return {}
    targets = target.elts if isinstance(target, ast.Tuple) else [target]
    found: dict[str, str] = {}
    for function, _ in recorder.call_graph.resolve_call(value.func, scope, scope.owner):
        if function is scope or "self" not in function.parameter_names:
            continue
        for returned in returned_values(function):
            parts = returned.elts if isinstance(returned, ast.Tuple) else [returned]
            for one, part in zip(targets, parts, strict=False):
                container = find_container(part)
                if isinstance(one, ast.Name) and _is_cache(recorder, function, container):
                    found[one.id] = container
    return found


def _is_cache(recorder: EventRecorder, function: CodeScope, key: str) -> bool:
    """Does code fill it as it goes: does it begin empty, or with None for each item?"""
    if not key.startswith("self."):
        return False
    owner = function.owner
    methods = [*recorder.project.all_methods(owner)] if owner is not None else []
    if any(key in one.item_stores for one in (function, *methods)):
        given = recorder.values.find_assignments(key, function)
        return owner is None or any(map(_begins_empty, (value for value, _ in given)))
    return False


def _begins_empty(value: ast.expr) -> bool:
    if isinstance(value, ast.IfExp):
        return _begins_empty(value.body) or _begins_empty(value.orelse)
    if isinstance(value, ast.BinOp):
        return isinstance(value.left, ast.List)
    if isinstance(value, ast.Call):
        return not value.args and last_name(value.func) in {"dict", "OrderedDict"}
    return isinstance(value, ast.Dict) and not value.keys


def _is_wrapped_dataset(recorder: EventRecorder, scope: CodeScope, key: str) -> bool:
    """Is ``self.x`` another dataset, whose items are created again each time?"""
    if key.endswith(("dataset", "_ds", ".ds", "datasets", "loader")):
        return True
    return any(
        recorder.call_graph.infer_classes(value, its, its.owner) or _is_self_call(value)
        for value, its in recorder.values.find_assignments(key, scope)
    )


def _is_self_call(value: ast.expr) -> bool:
    """``self.base = self.get_base()``: nobody knows what that is."""
    return isinstance(value, ast.Call) and binding_key(value.func).startswith("self.")
