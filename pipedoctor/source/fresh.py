"""Tensors that are made anew on the host, so that no pinned memory holds them."""

import ast

from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.root import root_of
from pipedoctor.source.scope import Scope

_TENSORS = {f"torch.{n}" for n in ("Tensor", "from_numpy", "tensor", "FloatTensor")}
_MAKERS = {
    *("Tensor", "FloatTensor", "LongTensor", "IntTensor", "ByteTensor", "tensor"),
    *("from_numpy", "as_tensor", "zeros", "ones", "full", "eye", "empty", "arange"),
    *("linspace", "rand", "randn", "randint", "randperm"),
}
"""Functions of torch whose result no gradient flows through."""
_TYPES = {"float", "double", "half", "bfloat16", "int", "long", "bool", "type"}
"""Methods that make another tensor, unless it has that type already."""


def is_tensor(recorder: Recorder, scope: Scope, node: ast.AST) -> bool:
    """``torch.Tensor(x)``."""
    if not (isinstance(node, ast.Call) and node.args):
        return False
    return recorder.name(node.func, scope) in _TENSORS


def is_leaf(recorder: Recorder, scope: Scope, node: ast.AST | None) -> bool:
    """Is it a tensor without a graph: made here from plain numbers, or taken off it?"""
    if isinstance(node, ast.Attribute):
        return node.attr == "data"
    if not isinstance(node, ast.Call):
        return False
    name = recorder.name(node.func, scope)
    if name.startswith("torch.") and name.rpartition(".")[2] in _MAKERS:
        return True
    func = node.func
    return isinstance(func, ast.Attribute) and (
        func.attr == "detach" or is_leaf(recorder, scope, func.value)
    )


def makes(recorder: Recorder, scope: Scope, node: ast.AST, root: str) -> bool:
    """Is it made of the variable `root`?"""
    if not (isinstance(node, ast.Call) and is_tensor(recorder, scope, node)):
        return False
    names = {n.id for n in ast.walk(node.args[0]) if isinstance(n, ast.Name)}
    return root in names


def is_fresh(node: ast.Call, fresh: set[str]) -> bool:
    """Is a tensor copied that a change of type, or the loop itself, has just made?"""
    inner = node.func.value if isinstance(node.func, ast.Attribute) else node
    changed = isinstance(inner, ast.Call) and last_name(inner.func) in _TYPES
    return changed or root_of(inner) in fresh
