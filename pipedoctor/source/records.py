"""Lists of Python objects that grow while a dataset is made."""

import ast
from collections.abc import Iterable

from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Scope, key_of


def object_lists(recorder: Recorder, methods: Iterable[Scope], init: Scope) -> None:
    """Lists of Python objects that grow while the dataset is made."""
    for scope in methods:
        if id(scope) not in recorder.reach.initial:
            continue
        for step in scope.calls:
            node = step.node
            if not (isinstance(node, ast.Call) and step.around.loops and node.args):
                continue
            func = node.func
            if not (isinstance(func, ast.Attribute) and func.attr == "append"):
                continue
            item = node.args[0]
            value = item
            if isinstance(item, ast.Name) and item.id in scope.bound:
                value = scope.bound[item.id][-1][0]
            key = key_of(func.value)
            kept = key.startswith("self.") or _returned_to_self(scope, init, key)
            if isinstance(value, (ast.Dict, ast.Tuple, ast.List)) and kept:
                node = _inner_list(scope, value) or value
                recorder.add("object-list", scope, step, key, node=node)


def _inner_list(scope: Scope, value: ast.expr) -> ast.expr | None:
    """A list within each record: where it is made."""
    parts = value.values if isinstance(value, ast.Dict) else []
    for part in parts:
        if isinstance(part, ast.Name) and part.id in scope.bound:
            made = scope.bound[part.id][-1][0]
            call = isinstance(made, ast.Call) and last_name(made.func) == "list"
            if call or isinstance(made, ast.ListComp):
                return made
    return None


def _returned_to_self(scope: Scope, init: Scope, key: str) -> bool:
    if scope is init:
        return any(
            isinstance(value, ast.Name) and value.id == key and name.startswith("self.")
            for name, values in init.bound.items()
            for value, _ in values
        )
    return any(
        isinstance(n, ast.Name) and n.id == key
        for step in scope.of_type.get(ast.Return, [])
        for n in ast.walk(step.node)
    )
