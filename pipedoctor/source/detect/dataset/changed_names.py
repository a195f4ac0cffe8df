"""Which variables a step writes to in place: by an index, by a method, by a function."""

import ast
from collections.abc import Iterator, Mapping

from pipedoctor.source.syntax.bindings import expression_names
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.views import find_root_name

_CHANGING_METHODS = frozenset(
    ("append", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault", "sort")
) | {"update", "thumbnail", "paste", "fill", "itemset"}
"""Methods of lists, dictionaries, images and arrays that change what they belong to."""
_CHANGING_FUNCTIONS: Mapping[str, str] = {
    "shuffle": "https://docs.python.org/3/library/random.html#random.shuffle",
    "copyto": "https://numpy.org/doc/stable/reference/generated/numpy.copyto.html",
    "fill_diagonal": "https://numpy.org/doc/stable/reference/generated/numpy.fill_diagonal.html",
    "putmask": "https://numpy.org/doc/stable/reference/generated/numpy.putmask.html",
}
"""Functions that change what they are given first."""
_ARRAY_ATTRIBUTES = frozenset(
    ("shape", "ndim", "transpose", "reshape", "permute", "T", "view", "mean", "std", "min", "max")
)


def list_changed_names(scope: CodeScope, node: ast.AST) -> list[str]:
    """``x`` of ``x[0] = 1``, ``x += noise``, ``x["a"].mul_(2)``, ``shuffle(x)``."""
    if isinstance(node, ast.Assign):
        return [name for one in node.targets if (name := _find_stored(one, node.value))]
    if isinstance(node, ast.AugAssign):
        if isinstance(node.target, ast.Name):
            return [node.target.id] if _is_used_as_array(scope, node.target.id) else []
        return [find_root_name(node.target)] if isinstance(node.target, ast.Subscript) else []
    return list(_list_changed_by_call(node)) if isinstance(node, ast.Call) else []


def _find_stored(target: ast.expr, value: ast.expr) -> str:
    """``x[0] = 1``, ``x["box"][0] = 1``, ``x.pos = x.pos - center``."""
    if isinstance(target, ast.Subscript):
        return find_root_name(target)
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        name = target.value.id
        return name if name != "self" and name in expression_names(value) else ""
    return ""


def _list_changed_by_call(node: ast.Call) -> Iterator[str]:
    func = node.func
    if isinstance(func, ast.Attribute):
        written = func.attr.endswith("_") and not func.attr.startswith("_")
        own = written and not func.attr.endswith("__") and func.attr != "requires_grad_"
        if own or func.attr in _CHANGING_METHODS:
            yield find_root_name(func.value)
    if node.args and last_name(func) in _CHANGING_FUNCTIONS:
        yield find_root_name(node.args[0])
    for word in node.keywords:
        if word.arg == "out":
            yield find_root_name(word.value)
        if word.arg == "inplace" and getattr(word.value, "value", None) is True:
            yield from map(find_root_name, node.args[:1])


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
