"""Loops over batches: which loader feeds them, and whether they come again."""

import ast
from typing import Literal

from pipedoctor.facts.source import Loop
from pipedoctor.source.detect.device_copies import is_device_copy
from pipedoctor.source.detect.loader.loop_steps import (
    adds_up_steps,
    is_named_like_loader,
    is_training_loop,
    makes_steps,
    only_hands_on,
    takes_strides,
    trains_itself,
)
from pipedoctor.source.detect.loader.request_loops import record_request_loops
from pipedoctor.source.detect.loader.reuse import is_loader_reused, is_repeated
from pipedoctor.source.detect.loader.value_flow import FlowTracer
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.trials import is_trial
from pipedoctor.source.resolve.base_name import find_base_name
from pipedoctor.source.syntax.bindings import expression_names
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import last_name, unparse_short
from pipedoctor.source.syntax.locations import node_location
from pipedoctor.source.syntax.scope import CodeScope

_PARTS_OF_OBJECTS = frozenset(
    ("items", "values", "parameters", "named_parameters", "children", "modules", "buffers")
)
_EVALUATION_WORDS = ("eval", "valid", "val_", "_val", "test", "infer", "predict")
GRADIENT_WORDS = ("no_grad", "inference_mode")


def find_loops(recorder: EventRecorder) -> None:
    """Number the loops over batches, before anything refers to them."""
    requests = sorted(recorder.loader_flow.requesting_names)
    for module in recorder.project.modules:
        names = [name for name in requests if name in module.called_names]
        for scope in module.scopes:
            record_request_loops(recorder, scope, names)
            for kind in (ast.For, ast.AsyncFor):
                for step in scope.steps_by_type.get(kind, []):
                    if isinstance(step.node, (ast.For, ast.AsyncFor)):
                        _record_loop(recorder, scope, step, step.node)
            for step in scope.steps_by_type.get(ast.While, []):
                if isinstance(step.node, ast.While):
                    _record_own_loop(recorder, scope, step, step.node)


def _record_loop(
    recorder: EventRecorder,
    scope: CodeScope,
    step: CodeStep,
    node: ast.For | ast.AsyncFor,
) -> None:
    loaders = recorder.loader_flow.find_loaders(node.iter, scope)
    if isinstance(node.body[-1], (ast.Break, ast.Return)):
        recorder.sampled_loaders |= loaders
        return  # one batch, to look at
    if not loaders and not is_named_like_loader(node.iter):
        own = trains_itself(scope, step, node) or _evaluates_itself(recorder, scope, step, node)
        if not own or _takes_apart_batch(recorder, scope, step):
            return
        if is_trial(recorder, scope, step.context):
            return
    recorder.repeated_loaders |= {
        index for index in loaders if is_loader_reused(recorder, index, scope, step, node.iter)
    }
    if loaders and only_hands_on(recorder.project, scope, node):
        return
    at = node_location(scope.module, node)
    first = min(loaders, default=None)
    flow = FlowTracer(recorder, first).trace(at, node.iter, scope) if first is not None else ()
    before = recorder.loop_indices.get(id(node))
    known = recorder.loops[before].loaders if before is not None else ()
    loop = Loop(
        at=at,
        flow=flow,
        function=scope.name,
        loaders=tuple(sorted(loaders.union(known))),
        role=_find_role(scope, step, node),
        repeats=is_repeated(recorder, scope, step),
        generates=_generates(scope, node),
    )
    if before is not None:
        recorder.loops[before] = loop
        return
    recorder.loop_indices[id(node)] = len(recorder.loops)
    recorder.loops.append(loop)


def _record_own_loop(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.While
) -> None:
    """``while step < steps: rows = get_batch()``: its batches are made, and nobody loads them."""
    known = [one for one in (node, *step.context.loops) if id(one) in recorder.loop_indices]
    if known or not (makes_steps(scope, node) or adds_up_steps(scope, node)):
        return
    recorder.loop_indices[id(node)] = len(recorder.loops)
    at, again = node_location(scope.module, node), is_repeated(recorder, scope, step)
    recorder.loops.append(Loop(at=at, function=scope.name, role="train", repeats=again))


def _evaluates_itself(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.For | ast.AsyncFor
) -> bool:
    """Without gradients, does it cut batches from memory, or move what it iterates?"""
    if not _is_without_gradients(scope, step):
        return False
    if takes_strides(node.iter):
        return True
    parts = isinstance(node.iter, ast.Call) and last_name(node.iter.func) in _PARTS_OF_OBJECTS
    target = expression_names(node.target)
    return not parts and any(
        isinstance(one.node, ast.Call)
        and find_base_name(one.node) in target
        and is_device_copy(one.node, recorder, scope)
        for one in scope.calls
        if one.context.loops[-1:] == (node,)
    )


def _generates(scope: CodeScope, node: ast.For | ast.AsyncFor) -> bool:
    """``model.generate(ids)``: does each step call the model once for each token?"""
    return any(
        node in step.context.loops
        and isinstance(step.node, ast.Call)
        and isinstance(step.node.func, ast.Attribute)
        for step in scope.find_calls("generate")
    )


def _find_role(
    scope: CodeScope, step: CodeStep, node: ast.For | ast.AsyncFor
) -> Literal["train", "eval", ""]:
    if is_training_loop(scope, node):
        return "train"
    evaluates = _is_evaluation_loop(node, scope) or _is_without_gradients(scope, step)
    return "eval" if evaluates else ""


def _takes_apart_batch(recorder: EventRecorder, scope: CodeScope, step: CodeStep) -> bool:
    """Does it stand in a loop over batches, so that it iterates over parts of one?"""
    return any(
        isinstance(one, (ast.For, ast.AsyncFor))
        and one is not step.node
        and recorder.loader_flow.find_loaders(one.iter, scope)
        for one in step.context.loops
    )


def _is_evaluation_loop(node: ast.For | ast.AsyncFor, scope: CodeScope) -> bool:
    name = f"{scope.name} {unparse_short(node.iter)}".lower()
    return any(word in name for word in _EVALUATION_WORDS)


def _is_without_gradients(scope: CodeScope, step: CodeStep) -> bool:
    """Does it stand where no gradient is kept: ``with torch.no_grad():``?"""
    wrappers = [*step.context.managers, *getattr(scope.node, "decorator_list", ())]
    if not isinstance(step.node, (ast.For, ast.AsyncFor)):
        return any(map(switches_off_gradients, wrappers))
    within = (item.context_expr for one in _with_statements(step.node) for item in one.items)
    return any(map(switches_off_gradients, (*wrappers, *within)))


def _with_statements(node: ast.For | ast.AsyncFor) -> list[ast.With]:
    """Those that are a part of each turn of a loop itself."""
    return [one for one in node.body if isinstance(one, ast.With)]


def switches_off_gradients(node: ast.expr) -> bool:
    """A context manager or a decorator: ``torch.no_grad()``."""
    text = unparse_short(node)
    return any(word in text for word in GRADIENT_WORDS)
