"""Tensors that are created again on the host, so that no pinned memory holds them."""

import ast

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.base_name import find_base_name
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.reaching_definitions import list_loop_targets
from pipedoctor.source.syntax.scope import CodeScope

_DTYPE_METHODS = {"float", "double", "half", "bfloat16", "int", "long", "bool", "type"}
"""Methods that make another tensor, unless it has that type already."""
_JOINING_FUNCTIONS = {f"torch.{n}" for n in ("cat", "concat", "stack", "vstack", "hstack")}
_TENSOR_CONSTRUCTORS = {f"torch.{n}" for n in ("Tensor", "from_numpy", "tensor", "FloatTensor")}
_HOST_FACTORIES = {f"torch.{name}" for name in ("zeros", "ones", "empty", "full", "Tensor")}
"""What makes a tensor on the host unless it is told the device."""
_LEAF_FACTORIES = {
    *("Tensor", "FloatTensor", "LongTensor", "IntTensor", "ByteTensor", "tensor"),
    *("from_numpy", "zeros", "ones", "full", "eye", "empty", "arange", "linspace"),
    *("rand", "randn", "randint", "randperm"),
    *("zeros_like", "ones_like", "full_like", "empty_like", "rand_like", "randn_like"),
}
"""Functions of torch whose result no gradient flows through."""
_LEAF_METHODS = {
    "detach",
    "new",
    *(f"new_{n}" for n in ("zeros", "ones", "full", "empty", "tensor")),
}
"""Methods of which this holds, whatever tensor they are called on."""
_MOVING_METHODS = {"cuda", "to", "cpu", "contiguous", "squeeze", "unsqueeze", *_DTYPE_METHODS}
"""Methods that give the same batch elsewhere, in another type or with other dimensions."""
_FILLING_FACTORIES = {
    f"torch.{name}"
    for name in (
        *("rand", "randn", "randint", "randperm", "zeros", "ones", "full", "eye", "empty"),
        *("arange", "linspace"),
    )
}
"""What is given no tensor, and makes one on the host unless it is told the device."""


def makes_tensor(recorder: EventRecorder, scope: CodeScope, node: ast.AST) -> bool:
    """``torch.Tensor(x)``."""
    if not (isinstance(node, ast.Call) and node.args):
        return False
    return recorder.full_name_of(node.func, scope) in _TENSOR_CONSTRUCTORS


def joins_tensors(recorder: EventRecorder, scope: CodeScope, node: ast.AST) -> bool:
    """``torch.cat(parts)``: of parts on the host, a new tensor there."""
    return isinstance(node, ast.Call) and (
        recorder.full_name_of(node.func, scope) in _JOINING_FUNCTIONS
    )


def changes_type(node: ast.AST) -> bool:
    """``x.type(torch.FloatTensor)``: another tensor, of which nothing is pinned."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _DTYPE_METHODS
    )


def is_made_on_host(recorder: EventRecorder, scope: CodeScope, node: ast.expr) -> bool:
    """Does a name stand for a tensor that was made on the host, and is only filled since?"""
    made = [value for value, _ in scope.bindings.get(binding_key(node), ())]
    return bool(made) and all(
        isinstance(one, ast.Call)
        and recorder.full_name_of(one.func, scope) in _HOST_FACTORIES
        and all(word.arg not in {"device", None} for word in one.keywords)
        for one in made
    )


def begins_on_host(recorder: EventRecorder, scope: CodeScope, node: ast.expr) -> bool:
    """``torch.randint(9, (1,))``, or what a method makes of it without a device."""
    while isinstance(node, ast.Call):
        if any(word.arg in {"device", None} for word in node.keywords):
            return False
        if recorder.full_name_of(node.func, scope) in _FILLING_FACTORIES:
            return True
        if not isinstance(node.func, ast.Attribute) or node.func.attr in {"cuda", "to", "type_as"}:
            return False
        node = node.func.value
    return False


def is_leaf_tensor(recorder: EventRecorder, scope: CodeScope, node: ast.AST | None) -> bool:
    """Is it a tensor without a graph: made here from plain numbers, or taken off it?"""
    if isinstance(node, ast.Attribute):
        return node.attr == "data"
    if not isinstance(node, ast.Call):
        return False
    name = recorder.full_name_of(node.func, scope)
    if name.startswith("torch.") and name.rpartition(".")[2] in _LEAF_FACTORIES:
        return True
    func = node.func
    return isinstance(func, ast.Attribute) and (
        func.attr in _LEAF_METHODS or is_leaf_tensor(recorder, scope, func.value)
    )


def is_loader_batch(recorder: EventRecorder, scope: CodeScope, node: ast.AST | None) -> bool:
    """Is it a variable of what a loader gives, perhaps moved since, but never computed?"""
    name = _base_of_moves(node) if isinstance(node, ast.expr) else ""
    if not isinstance(node, ast.expr) or name not in list_loop_targets(scope):
        return False
    if not recorder.loader_flow.find_batches(node, scope):
        return False
    computed = [value for _, value in scope.item_stores.get(name, ()) if not _base_of_moves(value)]
    bound = scope.bindings.get(name, ())
    return not computed and all(_base_of_moves(value) == name for value, _ in bound)


def _base_of_moves(node: ast.expr) -> str:
    """The variable of which a part is moved or wrapped; empty where it may be computed."""
    while isinstance(node, (ast.Call, ast.Subscript)):
        if isinstance(node, ast.Subscript):
            node = node.value
        elif last_name(node.func) == "Variable" and node.args:
            node = node.args[0]
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _MOVING_METHODS:
            node = node.func.value
        else:
            return ""
    return node.id if isinstance(node, ast.Name) else ""


def makes_tensor_of(
    recorder: EventRecorder, scope: CodeScope, node: ast.AST, variable: str
) -> bool:
    """Is it made of the variable `root`?"""
    if not (isinstance(node, ast.Call) and makes_tensor(recorder, scope, node)):
        return False
    names = {n.id for n in ast.walk(node.args[0]) if isinstance(n, ast.Name)}
    return variable in names


def is_fresh_on_host(node: ast.Call, fresh: set[str]) -> bool:
    """Is a tensor copied that a change of type, or the loop itself, has just made?"""
    inner = node.func.value if isinstance(node.func, ast.Attribute) else node
    changed = isinstance(inner, ast.Call) and last_name(inner.func) in _DTYPE_METHODS
    return changed or find_base_name(inner) in fresh
