"""Functions of the project whose result is a tensor that they make on the host from numbers."""

import ast
from collections.abc import Iterator

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.bindings import expression_names
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import contains_node

FILLED_FACTORIES = frozenset(
    f"torch.{name}"
    for name in (
        *("zeros", "ones", "empty", "full", "rand", "randn", "arange", "randint", "eye"),
        *("linspace", "logspace", "randperm", "tensor", "hann_window", "hamming_window"),
        *("blackman_window", "bartlett_window", "kaiser_window", "tril_indices", "triu_indices"),
    )
)
"""What makes a tensor on the host unless it is told the device."""
_MOVING_METHODS = frozenset(("to", "cuda", "type_as", "numpy", "tolist", "item"))
_MAX_DEPTH = 12
_MAX_CLASSES = 3


def computes_on_host(recorder: EventRecorder, scope: CodeScope, call: ast.Call) -> bool:
    """``torch.triu(torch.ones(3, 3))``: a function of torch, of a tensor made from numbers."""
    known = recorder.full_name_of(call.func, scope)
    return known.startswith("torch.") and _is_made_by_call(recorder, scope, call, _MAX_DEPTH)


def makes_on_host(recorder: EventRecorder, scope: CodeScope, call: ast.Call) -> bool:
    """``make_grid(32)``: does every function that it may mean make its result on the host?"""
    if any(word.arg in {"device", None} for word in call.keywords):
        return False
    targets = list(_find_targets(recorder, scope, call))
    return bool(targets) and all(_returns_made(recorder, one) for one in targets)


def _find_targets(recorder: EventRecorder, scope: CodeScope, call: ast.Call) -> Iterator[CodeScope]:
    """The function of that name, or the methods of it where classes are few that have it."""
    found = recorder.project.find_definition(call.func, scope.module)
    if isinstance(found, CodeScope):
        yield found
        return
    if found is not None or not isinstance(call.func, ast.Attribute):
        return
    name = call.func.attr
    owners = recorder.project.classes_by_method.get(name, ())
    if len(owners) <= _MAX_CLASSES:
        yield from (cls.methods[name] for cls in owners)


def _returns_made(recorder: EventRecorder, scope: CodeScope) -> bool:
    """From numbers alone; not filled part by part, or by what the function is given."""
    values = returned_values(scope)
    loops = any(scope.steps_by_type.get(kind) for kind in (ast.For, ast.While))
    if loops or _is_filled(scope):
        return False
    return bool(values) and all(_is_made(recorder, scope, one) for one in values)


def _is_filled(scope: CodeScope) -> bool:
    """``out[rows, labels] = 1``, of the labels that it is given?"""
    stores = (step.node for step in scope.steps_by_type.get(ast.Assign, ()))
    targets = (one for node in stores if isinstance(node, ast.Assign) for one in node.targets)
    return any(
        isinstance(one, ast.Subscript)
        and not expression_names(one.slice).isdisjoint(scope.parameter_names)
        for one in targets
    )


def _is_made(
    recorder: EventRecorder, scope: CodeScope, node: ast.expr, depth: int = _MAX_DEPTH
) -> bool:
    """Is it, or the first tensor that it is computed of, made here? Others are where that is."""
    if not depth:
        return False
    if isinstance(node, (ast.BinOp, ast.Compare)):
        sides = (node.left, *(node.comparators if isinstance(node, ast.Compare) else (node.right,)))
        return any(_is_made(recorder, scope, one, depth - 1) for one in sides)
    if isinstance(node, (ast.UnaryOp, ast.Subscript)):
        inner = node.operand if isinstance(node, ast.UnaryOp) else node.value
        return _is_made(recorder, scope, inner, depth - 1)
    if isinstance(node, (ast.List, ast.Tuple)):
        return bool(node.elts) and all(
            _is_made(recorder, scope, one, depth - 1) for one in node.elts
        )
    if isinstance(node, ast.Call):
        return _is_made_by_call(recorder, scope, node, depth)
    key = binding_key(node)
    given = [value for value, _ in scope.bindings.get(key, ())] if key else []
    given = [value for value in given if not contains_node(value, node)]
    others = [one for one in given if not _begins_with(one, key)]
    if key in scope.parameter_names or not others:
        return False
    return all(_is_made(recorder, scope, one, depth - 1) for one in others) and not any(
        _moves(one) for one in given
    )


def _is_made_by_call(recorder: EventRecorder, scope: CodeScope, node: ast.Call, depth: int) -> bool:
    if any(word.arg in {"device", None} for word in node.keywords):
        return False
    full = recorder.full_name_of(node.func, scope)
    if full in FILLED_FACTORIES:
        return full != "torch.tensor"  # what may come from lists
    if full.startswith("torch."):
        return bool(node.args) and _is_made(recorder, scope, node.args[0], depth - 1)
    if isinstance(node.func, ast.Attribute) and node.func.attr not in _MOVING_METHODS:
        return _is_made(recorder, scope, node.func.value, depth - 1)
    return False


def _begins_with(node: ast.expr, key: str) -> bool:
    """``m = m.float()``, ``m = m / 2``."""
    while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript, ast.BinOp)):
        if isinstance(node, ast.Attribute) and binding_key(node) == key:
            return True
        if isinstance(node, ast.Call):
            node = node.func
        else:
            node = node.left if isinstance(node, ast.BinOp) else node.value
    return binding_key(node) == key


def _moves(node: ast.expr) -> bool:
    return any(
        isinstance(one, ast.Call) and last_name(one.func) in {"to", "cuda", "type_as"}
        for one in ast.walk(node)
    )
