"""Records that a dataset keeps and whose fields are changed: ``row["box"][2] += row["box"][0]``."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pipedoctor.facts.code_events.dataset import CachedSampleMutation
from pipedoctor.source.detect.bound_parts import drop_count
from pipedoctor.source.detect.dataset.sample_lists import ANNOTATION_INDICES
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.arguments import match_arguments
from pipedoctor.source.syntax.bindings import expression_names
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import binding_key
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.views import find_container, find_root_name, strip_subscripts
from pipedoctor.source.syntax.walk import find_nodes

_RECORD_METHODS = frozenset(("loadAnns", "loadImgs", "load_anns", "load_imgs"))
"""What such an index returns its own records from, in a new list."""


class _Change(NamedTuple):
    name: str
    scope: CodeScope
    step: CodeStep
    container: str


def record_changed_records(recorder: EventRecorder, scope: CodeScope) -> None:
    """Fields of kept records that items change, here or in a function that is given them."""
    for change in _find_changes(recorder, scope, {}, deep=False):
        details = CachedSampleMutation(variable=change.name)
        recorder.add_event(details, change.scope, change.step, change.container)


def _find_changes(
    recorder: EventRecorder, scope: CodeScope, given: Mapping[str, str], *, deep: bool
) -> Iterator[_Change]:
    """`given`: parameters that are such records or lists of them, and what keeps them."""
    kept, fields, entered = dict(given), set[str](), set[int]()
    for step in scope.steps:
        node = step.node
        if isinstance(node, ast.Assign):
            for call in find_nodes(node.value, (ast.Call,)) if not deep else ():
                entered.add(id(call))
                yield from _enter(recorder, scope, call, kept)
            for target in node.targets:
                _follow_name(recorder, scope, target, node.value, (kept, fields))
        elif isinstance(node, ast.For):
            for one, value in [drop_count(node.target, node.iter)]:
                if isinstance(one, ast.Name) and find_root_name(value) in kept:
                    kept[one.id] = kept[find_root_name(value)]
                    fields.add(one.id)
        elif isinstance(node, ast.Call) and not deep and id(node) not in entered:
            yield from _enter(recorder, scope, node, kept)
        for name in _list_changed(node):
            if name in kept and (name in fields or _is_nested(node)):
                yield _Change(name, scope, step, kept[name])


def _follow_name(
    recorder: EventRecorder,
    scope: CodeScope,
    target: ast.expr,
    value: ast.expr,
    known: tuple[dict[str, str], set[str]],
) -> None:
    kept, fields = known
    if not isinstance(target, ast.Name):
        return
    root = find_root_name(value)
    container = _find_index(recorder, scope, value)
    field = root in kept and isinstance(value, ast.Subscript) and _is_key(value.slice)
    kept_here = find_container(value, scope)
    if field:
        container = kept[root]
    elif not container and kept_here.startswith("self."):
        container = "" if _is_made_again(recorder, scope, kept_here) else kept_here
    fields.discard(target.id)
    kept.pop(target.id, None)
    if container:
        kept[target.id] = container
        if field:
            fields.add(target.id)


def _enter(
    recorder: EventRecorder, scope: CodeScope, node: ast.Call, kept: Mapping[str, str]
) -> Iterator[_Change]:
    names = {one.id for one in node.args if isinstance(one, ast.Name) and one.id in kept}
    for function, _ in (
        recorder.call_graph.resolve_call(node.func, scope, scope.owner) if names else ()
    ):
        given = {
            name: kept[value.id]
            for name, value in match_arguments(function, node)
            if isinstance(value, ast.Name) and value.id in names
            if not function.bindings.get(name)
        }
        yield from _find_changes(recorder, function, given, deep=True) if given else ()


def _list_changed(node: ast.AST) -> list[str]:
    """``x`` of ``x["box"][2] += 1`` and of ``x["box"] = scale(x["box"])``."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
        return [find_root_name(node.target)]
    if isinstance(node, ast.Assign):
        read = expression_names(node.value)
        roots = (find_root_name(one) for one in node.targets if isinstance(one, ast.Subscript))
        return [name for name in roots if name in read]
    return []


def _is_nested(node: ast.AST) -> bool:
    """``x["box"][2] += 1``: a part of a field, of which a copy of the record has the same."""
    target = node.target if isinstance(node, ast.AugAssign) else None
    return isinstance(target, ast.Subscript) and isinstance(target.value, ast.Subscript)


def _find_index(recorder: EventRecorder, scope: CodeScope, value: ast.expr) -> str:
    """``self.coco`` of ``self.coco.loadAnns(ids)`` and of ``self.coco.imgToAnns[i]``."""
    whole = strip_subscripts(value)
    func = whole.func if isinstance(whole, ast.Call) else None
    if not (isinstance(func, ast.Attribute) and func.attr in _RECORD_METHODS):
        return ""
    key = binding_key(func.value)
    return key if key.startswith("self.") and _is_index(recorder, scope, key) else ""


def _is_index(recorder: EventRecorder, scope: CodeScope, key: str) -> bool:
    return any(
        isinstance(value, ast.Call) and recorder.full_name_of(value.func, its) in ANNOTATION_INDICES
        for value, its in recorder.values.find_assignments(key, scope)
    )


def _is_made_again(recorder: EventRecorder, scope: CodeScope, key: str) -> bool:
    """Is ``self.x`` another dataset, or an index that nobody knows?"""
    if key.endswith(("dataset", "_ds", ".ds", "datasets", "loader")):
        return True
    written = list(recorder.values.find_assignments(key, scope))
    return not written or any(not _is_plain(recorder, value, its) for value, its in written)


def _is_plain(recorder: EventRecorder, value: ast.expr, scope: CodeScope) -> bool:
    """A list, or what parses one: its elements stay what they are between two items."""
    if isinstance(value, ast.Call):
        return recorder.full_name_of(value.func, scope).rpartition(".")[2] in {"load", "list"}
    return isinstance(value, (ast.List, ast.ListComp, ast.Dict, ast.DictComp))


def _is_key(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
