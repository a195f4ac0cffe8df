"""What lists, dictionaries and named tuples hold, by the places that fill them."""

import ast
from collections.abc import Iterator

from pipedoctor.source.project import last_name
from pipedoctor.source.scope import Scope, key_of


def filled(scope: Scope, key: str, which: object) -> Iterator[ast.expr]:
    """``loaders[split] = x``, ``loaders.append(x)``: what may be at `which`."""
    for step in scope.calling("append"):
        call = step.node
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            if key_of(call.func.value) == key:
                yield from call.args[:1]
    for step in scope.of_type.get(ast.Assign, ()):
        node = step.node
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Subscript) and key_of(target.value) == key:
                if _may_be(target.slice, which) and isinstance(node, ast.Assign):
                    yield node.value


def _may_be(node: ast.expr, which: object) -> bool:
    if isinstance(node, ast.BinOp):
        return False  # ``name + "_sampler"``: beside those that are called by the name
    known = isinstance(node, ast.Constant) and which is not None
    return not known or node.value == which  # type: ignore[attr-defined]


def of_field(node: ast.Call, scope: Scope, which: object) -> ast.expr | None:
    """What a named tuple is given for its field at `which`."""
    fields = _fields(scope, last_name(node.func))
    if not isinstance(which, int) or not 0 <= which < len(fields):
        return None
    if which < len(node.args):
        return node.args[which]
    words = {word.arg: word.value for word in node.keywords}
    return words.get(fields[which])


def _fields(scope: Scope, name: str) -> list[str]:
    for value, _ in scope.module.body.bound.get(name, ()):
        if isinstance(value, ast.Call) and last_name(value.func) == "namedtuple":
            given = value.args[1] if len(value.args) > 1 else None
            if isinstance(given, ast.Constant) and isinstance(given.value, str):
                return given.value.replace(",", " ").split()
            if isinstance(given, (ast.List, ast.Tuple)):
                parts = [
                    one.value for one in given.elts if isinstance(one, ast.Constant)
                ]
                return [one for one in parts if isinstance(one, str)]
    return []
