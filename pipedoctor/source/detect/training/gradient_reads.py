"""Gradients that the host reads: ``p.grad.norm().item()``, once for each parameter."""

import ast

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes

_STARTING_NAMES = frozenset(("main", "__init__", "<module>"))
GRADIENT_NORMS = ("clip_grad_norm_", "clip_grad_norm", "get_total_norm")
"""Functions and methods that return the norm of all gradients."""
_GRADIENT_WORDS = (b".grad", b"clip_grad_norm", b"get_total_norm")
_READS = frozenset(("item", "tolist", "cpu", "float"))


def list_gradient_readers(recorder: EventRecorder) -> frozenset[str]:
    """Names of functions that read a number of a gradient, or call one; known once asked for."""
    if recorder.gradient_readers is None:
        names = {
            scope.name.rpartition(".")[2]
            for module in recorder.project.modules
            if module.file.says_any(_GRADIENT_WORDS)
            for scope in module.scopes
            if not scope.is_module_body and _reads(scope) and _uses_gradients(scope)
        }
        for name in [*names]:
            sites = recorder.project.find_call_sites(name)
            names |= {one.scope.name.rpartition(".")[2] for one in sites}
        recorder.gradient_readers = frozenset(names - _STARTING_NAMES)
    return recorder.gradient_readers


def _uses_gradients(scope: CodeScope) -> bool:
    if any(node.attr == "grad" for node in scope.attribute_nodes):
        return True
    return any(scope.find_calls(name) for name in GRADIENT_NORMS)


def _reads(scope: CodeScope) -> bool:
    return any(
        isinstance(step.node, ast.Call) and last_name(step.node.func) in _READS
        for step in scope.calls
    )


def is_of_gradients(scope: CodeScope, node: ast.expr) -> bool:
    """``p.grad.norm(2)``, ``torch.stack([p.grad for p in parameters])``, ``clip_grad_norm_(p)``."""
    if not scope.module.file.says_any(_GRADIENT_WORDS):
        return False
    return any(
        (isinstance(one, ast.Attribute) and one.attr == "grad")
        or (isinstance(one, ast.Call) and last_name(one.func) in GRADIENT_NORMS)
        for one in find_nodes(node, (ast.Attribute, ast.Call))
    )
