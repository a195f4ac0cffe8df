"""What lists, dictionaries and named tuples hold, by the places that fill them."""

import ast
from collections.abc import Iterator

from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope


def values_put_into(scope: CodeScope, key: str, index: object) -> Iterator[ast.expr]:
    """``loaders[split] = x``, ``loaders.append(x)``, ``insert(0, x)``: what may be at `which`."""
    for method, call in scope.filling_calls.get(key, ()):
        if method in {"append", "insert"}:
            place = int(method == "insert")
            yield from call.args[place : place + 1]
    for at, value in scope.item_stores.get(key, ()):
        if _may_match_index(at, index):
            yield value


def containers_added_to(scope: CodeScope, key: str) -> Iterator[ast.expr]:
    """``loaders.extend(others)``, ``loaders.update(others)``, ``loaders += others``."""
    for method, call in scope.filling_calls.get(key, ()):
        if method in {"extend", "update"}:
            yield from call.args[:1]
    for step in scope.steps_by_type.get(ast.AugAssign, ()):
        node = step.node
        if isinstance(node, ast.AugAssign) and binding_key(node.target) == key:
            if isinstance(node.op, (ast.Add, ast.BitOr)):
                yield node.value


def _may_match_index(node: ast.expr, index: object) -> bool:
    if isinstance(node, ast.BinOp):
        return False  # ``name + "_sampler"``: beside those that are called by the name
    known = isinstance(node, ast.Constant) and index is not None
    return not known or node.value == index  # type: ignore[attr-defined]


def namedtuple_field_value(node: ast.Call, scope: CodeScope, index: object) -> ast.expr | None:
    """What a named tuple is given for its field at `which`."""
    fields = _namedtuple_fields(scope, last_name(node.func))
    if isinstance(index, str) and index in fields:
        index = fields.index(index)
    if not isinstance(index, int) or not 0 <= index < len(fields):
        return None
    if index < len(node.args):
        return node.args[index]
    words = {word.arg: word.value for word in node.keywords}
    return words.get(fields[index])


def _namedtuple_fields(scope: CodeScope, name: str) -> list[str]:
    for value, _ in scope.module.body.bindings.get(name, ()):
        if isinstance(value, ast.Call) and last_name(value.func) == "namedtuple":
            given = value.args[1] if len(value.args) > 1 else None
            if isinstance(given, ast.Constant) and isinstance(given.value, str):
                return given.value.replace(",", " ").split()
            if isinstance(given, (ast.List, ast.Tuple)):
                parts = [one.value for one in given.elts if isinstance(one, ast.Constant)]
                return [one for one in parts if isinstance(one, str)]
    return []
