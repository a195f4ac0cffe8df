"""What items do with an element of a container: is it a record, or a text?"""

import ast
from collections.abc import Iterator

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.syntax.walk import find_nodes

_COPIES = {"copy", "deepcopy"}
_OBJECT_METHODS = {
    *("split", "rsplit", "strip", "rstrip", "lstrip", "startswith", "endswith", "lower", "upper"),
    *("keys", "items", "get", "pop", "encode", "format"),
}
"""Of strings and dictionaries, and of no array."""
_PATH_FUNCTIONS = {"open", "join", "exists", "imread", "basename", "dirname", "splitext", "Path"}
"""Functions that are given a path."""


def uses_elements(recorder: EventRecorder, cls: ClassDefinition, key: str) -> bool:
    """Do items take ``self.rows[index]`` for a dictionary or a string?"""
    return any(
        _uses(scope, key)
        for scope in recorder.project.all_methods(cls)
        if key in scope.self_loads and recorder.is_item_code(scope)
    )


def _uses(scope: CodeScope, key: str) -> bool:
    names = {
        name
        for name, values in scope.bindings.items()
        if values and all(_is_element(value, key) for value, _ in values)
    }

    def is_meant(node: ast.expr) -> bool:
        return _is_element(node, key) or (isinstance(node, ast.Name) and node.id in names)

    return any(map(is_meant, _list_used(scope)))


def _list_used(scope: CodeScope) -> Iterator[ast.expr]:
    """Expressions that are used as only a string or a dictionary can be."""
    for name in find_nodes(scope.node, (ast.Attribute,)):
        if name.attr in _OBJECT_METHODS:
            yield name.value
    for part in find_nodes(scope.node, (ast.Subscript,)):
        if isinstance(part.slice, ast.Constant) and isinstance(part.slice.value, str):
            yield part.value
    for call in find_nodes(scope.node, (ast.Call,)):
        if last_name(call.func) in _PATH_FUNCTIONS:
            yield from call.args


def _is_element(node: ast.expr, key: str) -> bool:
    """``self.rows[index]``, or a copy of it."""
    if isinstance(node, ast.Call) and last_name(node.func) in _COPIES and node.args:
        return _is_element(node.args[0], key)
    picked = isinstance(node, ast.Subscript) and not isinstance(
        node.slice, (ast.Slice, ast.Constant)
    )
    return isinstance(node, ast.Subscript) and picked and binding_key(node.value) == key
