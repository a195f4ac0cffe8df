"""Gradients that the host reads: ``p.grad.norm().item()``, once for each parameter."""

import ast

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope

_STARTING_NAMES = frozenset(("main", "__init__", "<module>"))
_READS = frozenset(("item", "tolist", "cpu", "float"))


def list_gradient_readers(recorder: EventRecorder) -> frozenset[str]:
    """Names of functions that read a number of a gradient, or call one; known once asked for."""
    if recorder.gradient_readers is None:
        names = {
            scope.name.rpartition(".")[2]
            for module in recorder.project.modules
            if b".grad" in module.file.content
            for scope in module.scopes
            if not scope.is_module_body and _reads(scope) and _uses_gradients(scope)
        }
        for name in [*names]:
            sites = recorder.project.find_call_sites(name)
            names |= {one.scope.name.rpartition(".")[2] for one in sites}
        recorder.gradient_readers = frozenset(names - _STARTING_NAMES)
    return recorder.gradient_readers


def _uses_gradients(scope: CodeScope) -> bool:
    return any(node.attr == "grad" for node in scope.attribute_nodes)


def _reads(scope: CodeScope) -> bool:
    return any(
        isinstance(step.node, ast.Call) and last_name(step.node.func) in _READS
        for step in scope.calls
    )


def is_of_gradients(scope: CodeScope, node: ast.expr) -> bool:
    """``p.grad.norm(2)``, ``torch.stack([p.grad for p in parameters])``."""
    if b".grad" not in scope.module.file.content:
        return False
    return any(isinstance(one, ast.Attribute) and one.attr == "grad" for one in ast.walk(node))
