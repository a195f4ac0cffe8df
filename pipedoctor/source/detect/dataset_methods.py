"""Methods of datasets: lengths that take long, items that ignore their index."""

import ast

from pipedoctor.facts.code_events.dataset import (
    HeavyLength,
)
from pipedoctor.facts.code_events.item import IgnoredIndex
from pipedoctor.source.detect.api_table import KIND_OF_CALL
from pipedoctor.source.detect.delegation import follow_delegation
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.expressions import last_name, unparse_short
from pipedoctor.source.syntax.scope import ClassDefinition


def record_heavy_len(recorder: EventRecorder, cls: ClassDefinition) -> None:
    """``__len__`` that does work: torch asks for it several times an epoch."""
    method = cls.methods.get("__len__")
    if method is None:
        return
    scope = follow_delegation(recorder, cls, method).scope
    heavy = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp)
    for step in scope.steps:
        node = step.node
        name = recorder.full_name_of(node.func, scope) if isinstance(node, ast.Call) else ""
        if not name and isinstance(node, ast.Call) and last_name(node.func) == "open":
            name = "open"
        if isinstance(node, heavy) or name in KIND_OF_CALL:
            if not step.context.guards:
                recorder.add_event(
                    HeavyLength(text=unparse_short(node) if isinstance(node, ast.expr) else ""),
                    scope,
                    step,
                    name or "loop",
                )
                return


_SYNTHETIC_DRAWS = {
    "randn",
    "rand",
    "normal",
    "standard_normal",
    "randn_like",
    "rand_like",
}
"""What is drawn so is the item itself, for a test, and not which one it is."""


def record_ignored_index(recorder: EventRecorder, cls: ClassDefinition) -> None:
    """``__getitem__`` that draws its item at random, whatever was asked for."""
    method = cls.methods.get("__getitem__")
    if method is None or len(method.parameters) < 2:  # noqa: PLR2004  (self, index)
        return
    scope, name = follow_delegation(recorder, cls, method, method.parameters[1].arg)
    uses = [node for node in scope.name_loads if node.id == name]
    parity = [
        step.node.left
        for step in scope.steps_by_type.get(ast.BinOp, [])
        if isinstance(step.node, ast.BinOp)
        and isinstance(step.node.op, ast.Mod)
        and isinstance(step.node.right, ast.Constant)
    ]
    real = [node for node in uses if not any(node is p for p in parity)]
    draws = [
        step
        for step in scope.calls
        if isinstance(step.node, ast.Call)
        and recorder.full_name_of(step.node.func, scope).startswith(
            ("random.", "numpy.random.", "torch.rand")
        )
        and last_name(step.node.func) not in _SYNTHETIC_DRAWS
    ]
    if not real and draws:
        recorder.add_event(IgnoredIndex(parity=bool(uses)), scope, draws[0], name)
