"""Losses on their way out of a step: as numbers, or with their whole graph."""

import ast
from collections.abc import Iterator, Sequence
from operator import itemgetter

from msgspec.structs import replace

from pipedoctor.facts.code_events.training import KeptGraph, LossRead
from pipedoctor.source.detect.flow_state import find_flow_key
from pipedoctor.source.detect.loop_steps import BatchLoop, steps_in_loop
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.bindings import expression_names
from pipedoctor.source.syntax.context import CodeContext, CodeStep
from pipedoctor.source.syntax.expressions import binding_key, last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope

_DETACHING_ATTRIBUTES = {"detach", "item", "data"}


def record_loss_syncs(recorder: EventRecorder, scope: CodeScope, node: BatchLoop) -> None:
    """A function that makes one step, and gives its loss back as a number."""
    if not any(
        site.scope is not scope or site.step.context.inner
        for site in recorder.project.find_call_sites("backward")
    ):
        return
    number = recorder.loop_indices[id(node)]
    seen: set[int] = set()
    for step in steps_in_loop(scope, node):
        call = step.node
        if not isinstance(call, ast.Call) or any(x is not node for x in step.context.loops[-1:]):
            continue
        for target, _ in recorder.call_graph.resolve_call(call.func, scope, scope.owner):
            if id(target) in seen or not any(map(_is_backward_call, target.calls)):
                continue
            seen.add(id(target))
            recorder.loops[number] = replace(recorder.loops[number], role="train")
            if id(target) in recorder.followed_scopes:
                continue  # what it reads is known from the batch that it is given
            recorder.followed_scopes.add(id(target))
            for value in returned_values(target):
                for part in ast.walk(value):
                    if isinstance(part, ast.Call) and last_name(part.func) in {
                        "item",
                        "cpu",
                    }:
                        where = CodeStep(part, CodeContext())
                        recorder.add_event(
                            LossRead(
                                how=last_name(part.func), host=False, raised=True, in_loop=number
                            ),
                            target,
                            where,
                            unparse_short(part),
                        )


def _is_backward_call(step: CodeStep) -> bool:
    return isinstance(step.node, ast.Call) and last_name(step.node.func) == "backward"


def record_kept_graph(
    recorder: EventRecorder,
    scope: CodeScope,
    step: CodeStep,
    node: ast.AugAssign,
    losses: set[str],
) -> None:
    """``total += loss``: keeps the graph of every step."""
    value = node.value
    parts = [value.left, value.right] if isinstance(value, ast.BinOp) else [value]
    hit = {key for one in parts if (key := binding_key(one))} & losses
    if isinstance(node.op, ast.Add) and hit and binding_key(node.target) not in losses:
        off = all(_is_detached(scope, name, node.lineno) for name in hit)
        target = binding_key(node.target)
        off = off or _begins_anew(recorder, scope, step, target)
        if not _has_backward_called(scope, target) and not (_is_under_no_grad(step) or off):
            recorder.add_event(KeptGraph(loss=min(hit)), scope, step, binding_key(node.target))


def _begins_anew(recorder: EventRecorder, scope: CodeScope, step: CodeStep, target: str) -> bool:
    """``total = 0`` for each batch, of whose parts it is the sum: no more than one is kept."""
    outer = [one for one in step.context.loops[:-1] if id(one) in recorder.loop_indices]
    return any(
        isinstance(value, ast.Constant)
        and its.context.loops
        and its.context.loops[-1] in outer
        and its.context.guards == step.context.guards[: len(its.context.guards)]
        for value, its in scope.bindings.get(target, ())
    )


def _is_detached(scope: CodeScope, name: str, line: int) -> bool:
    """``loss = loss.detach()``: has it lost its graph before this line?"""
    before = [(v.lineno, v) for v, _ in scope.bindings.get(name, ()) if v.lineno < line]
    last = max(before, key=itemgetter(0), default=(0, None))[1]
    return last is not None and any(
        (isinstance(n, ast.Attribute) and n.attr in _DETACHING_ATTRIBUTES) for n in ast.walk(last)
    )


def _is_under_no_grad(step: CodeStep) -> bool:
    return any("no_grad" in unparse_short(one) for one in step.context.managers)


def _has_backward_called(scope: CodeScope, key: str) -> bool:
    return any(
        isinstance(s.node, ast.Call)
        and isinstance(s.node.func, ast.Attribute)
        and s.node.func.attr == "backward"
        and binding_key(s.node.func.value) == key
        for s in scope.calls
    )


def find_losses(scope: CodeScope, steps: Sequence[CodeStep]) -> Iterator[str]:
    """``x`` of ``x.backward()``, of ``scaler.backward(x)``; and what it is made of."""
    for step in steps:
        one = step.node
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
            if one.func.attr == "backward":
                for name in (
                    binding_key(one.func.value),
                    *map(find_flow_key, one.args[:1]),
                ):
                    yield name
                    yield from _loss_inputs(scope, name)


def _loss_inputs(scope: CodeScope, name: str) -> Iterator[str]:
    """Results that a loss is computed from, themselves computed: ``scale(loss)``."""
    for value, _ in scope.bindings.get(name, []):
        for one in expression_names(value) if isinstance(value, (ast.Call, ast.BinOp)) else ():
            made = [v for v, _ in scope.bindings.get(one, [])]
            if any(
                isinstance(v.value if isinstance(v, ast.Subscript) else v, ast.Call) for v in made
            ):
                yield one
