"""Losses on their way out of a step: as numbers, or with their whole graph."""

import ast
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from pipedoctor.facts.code_events.training import LossRead
from pipedoctor.source.detect.loader.loop_steps import BatchLoop, steps_in_loop
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.bindings import expression_names
from pipedoctor.source.syntax.context import CodeContext, CodeStep
from pipedoctor.source.syntax.expressions import binding_key, last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope

_BACKWARD_METHODS = frozenset(("backward", "manual_backward"))
_SCALING_FUNCTIONS = frozenset(("scale", "scale_loss", "sum", "Variable"))
"""What returns the losses that it is given, in a single one."""
_RETURNING_STEPS = frozenset(("training_step", "compute_loss"))
"""Methods by whose result a framework goes backward: of Lightning and of transformers."""


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


def list_backward_tensors(scope: CodeScope) -> Iterator[str]:
    """The variables on which a function, or the framework that calls it, calls ``backward``."""
    for step in scope.calls:
        for value in _going_backward(step.node):
            yield from _tensors_of(scope, value)
    if scope.owner is not None and scope.name.rpartition(".")[2] in _RETURNING_STEPS:
        for value in returned_values(scope):
            for one in (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,):
                yield from _tensors_of(scope, _find_returned_loss(one))


def _find_returned_loss(value: ast.expr) -> ast.expr:
    """``loss`` of ``return loss``, ``return {"loss": loss}``, ``return loss, outputs``."""
    if isinstance(value, ast.Call) and last_name(value.func) == "dict":
        return next((word.value for word in value.keywords if word.arg == "loss"), value)
    if isinstance(value, ast.Dict):
        return next(
            (
                one
                for key, one in zip(value.keys, value.values, strict=True)
                if isinstance(key, ast.Constant) and key.value == "loss"
            ),
            value,
        )
    return value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value


def find_losses(scope: CodeScope, steps: Sequence[CodeStep]) -> Iterator[str]:
    """``x`` of ``x.backward()``, of ``scaler.scale(x).backward()``; and what it is made of."""
    backward = [value for step in steps for value in _going_backward(step.node)]
    given = {
        name
        for step in scope.steps_by_type.get(ast.For, ())
        if backward and isinstance(step.node, ast.For)
        for name in expression_names(step.node.target)
    }
    for value in backward:
        for name in _tensors_of(scope, value):
            yield name
            yield from _loss_inputs(scope, name, given)


def _going_backward(node: ast.AST) -> list[ast.expr]:
    """From what a call goes backward: ``x.backward()``, ``engine.backward(x)``."""
    if not isinstance(node, ast.Call):
        return []
    if isinstance(node.func, ast.Attribute) and node.func.attr in _BACKWARD_METHODS:
        return [node.func.value, *map(_take_root, node.args[:1])]
    # ``scaler(x, optimizer)`` of timm goes backward, too
    scales = len(node.args) > 1 and last_name(node.func).lower().endswith("scaler")
    return node.args[:1] if scales else []


def _take_root(node: ast.expr) -> ast.expr:
    """``out`` of ``engine.backward(out.loss)``: what a model returns is on the device."""
    return (
        node.value
        if isinstance(node, ast.Attribute) and not binding_key(node).startswith("self.")
        else node
    )


def _tensors_of(scope: CodeScope, value: ast.expr) -> Iterator[str]:
    """The losses in what goes backward: of ``scaler.scale(x / 4)``, ``x.mean()``, ``[x, y]``."""
    if isinstance(value, ast.Call):
        if last_name(value.func) in _SCALING_FUNCTIONS:
            for one in value.args[:1]:
                yield from _tensors_of(scope, one)
        elif isinstance(value.func, ast.Attribute) and not _has_tensors(value):
            yield from _tensors_of(scope, value.func.value)
    elif isinstance(value, (ast.List, ast.Tuple)):
        for one in value.elts:
            yield from _tensors_of(scope, one)
    elif isinstance(value, ast.BinOp):
        for one in (value.left, value.right):
            yield from (name for name in _tensors_of(scope, one) if _is_computed(scope, name))
    else:
        yield binding_key(value)


def _has_tensors(call: ast.Call) -> bool:
    """Is it given more than numbers, so that its result is another thing: ``net.loss(x)``?"""
    return not all(isinstance(one, ast.Constant) for one in call.args)


def _is_computed(scope: CodeScope, name: str) -> bool:
    """Is a variable given what a call returns, or a part of it?"""
    made = [value for value, _ in scope.bindings.get(name, ())]
    return any(isinstance(v.value if isinstance(v, ast.Subscript) else v, ast.Call) for v in made)


def _loss_inputs(scope: CodeScope, name: str, given: set[str]) -> Iterator[str]:
    """
    Results that a loss is computed from, themselves computed: ``scale(loss)``.

    `given`: what loops give, such as a batch, which is none.
    """
    for value, _ in scope.bindings.get(name, []):
        for one in expression_names(value) if isinstance(value, (ast.Call, ast.BinOp)) else ():
            if one not in given and _is_computed(scope, one):
                yield one
