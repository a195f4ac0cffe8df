"""What the host reads of a model: ``p.grad.norm().item()``, ``self.count.item()`` of a buffer."""

import ast

from pipedoctor.source.detect.flow_state import find_flow_key
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.training.layers import list_buffers
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes

_STARTING_NAMES = frozenset(("main", "__init__", "<module>"))
GRADIENT_NORMS = ("clip_grad_norm_", "clip_grad_norm", "get_total_norm")
"""Functions and methods that return the norm of all gradients."""
_GRADIENT_WORDS = (b".grad", b"clip_grad_norm", b"get_total_norm")
_READING_WORDS = (*_GRADIENT_WORDS, b"register_buffer")
"""What a file says that may read a gradient or a buffer."""
_READS = frozenset(("item", "tolist", "cpu", "float"))


def list_model_readers(recorder: EventRecorder) -> frozenset[str]:
    """Names of functions that read a gradient or a buffer, or call one; known once asked for."""
    if recorder.model_readers is None:
        names = {
            scope.name.rpartition(".")[2]
            for module in recorder.project.modules
            if module.file.says_any(_READING_WORDS)
            for scope in module.scopes
            if not scope.is_module_body and _reads(scope)
            if _uses_gradients(scope) or _reads_buffer(scope)
        }
        for name in [*names]:
            sites = recorder.project.find_call_sites(name)
            names |= {one.scope.name.rpartition(".")[2] for one in sites}
        recorder.model_readers = frozenset(names - _STARTING_NAMES)
    return recorder.model_readers


def _uses_gradients(scope: CodeScope) -> bool:
    if any(node.attr == "grad" for node in scope.attribute_nodes):
        return True
    return any(scope.find_calls(name) for name in GRADIENT_NORMS)


def _reads_buffer(scope: CodeScope) -> bool:
    """``self.count.item()``, of a buffer of the module that has this method."""
    made = scope.owner.methods.get("__init__") if scope.owner is not None else None
    buffers = {f"self.{name}" for name in list_buffers(made)} if made is not None else set[str]()
    return any(
        isinstance(step.node, ast.Call)
        and last_name(step.node.func) == "item"
        and find_flow_key(step.node.func) in buffers
        for step in scope.calls
    )


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
