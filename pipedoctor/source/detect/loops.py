"""Loops over batches: which loader feeds them, and whether they come again."""

import ast
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from pipedoctor.facts.source import Loop
from pipedoctor.source.detect.device_copies import is_device_copy
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.reuse import is_loader_reused, is_repeated
from pipedoctor.source.detect.value_flow import FlowTracer
from pipedoctor.source.syntax.context import CodeStep, LoopNode
from pipedoctor.source.syntax.expressions import binding_key, last_name, unparse_short
from pipedoctor.source.syntax.locations import node_location
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes
from pipedoctor.source.values.lattice import InstanceValue
from pipedoctor.source.values.library import PASSED_ON

_WRAPPERS = PASSED_ON | {"enumerate", "iter", "zip"}
_LOADER_SUFFIXES = ("loader", "_dl", "dataloader")
_TRAINING_METHODS = frozenset(("backward", "zero_grad"))
_EVALUATION_WORDS = ("eval", "valid", "val_", "_val", "test", "infer", "predict")
_STEP_WORDS = ("step", "iter", "update")
GRADIENT_WORDS = ("no_grad", "inference_mode")

BatchLoop: TypeAlias = ast.For | ast.AsyncFor | ast.While


def find_loops(recorder: EventRecorder) -> None:
    """Number the loops over batches, before anything refers to them."""
    requests = sorted(recorder.loader_flow.requesting_names)
    for module in recorder.project.modules:
        names = [name for name in requests if name in module.called_names]
        for scope in module.scopes:
            _record_next_loops(recorder, scope, names)
            for kind in (ast.For, ast.AsyncFor):
                for step in scope.steps_by_type.get(kind, []):
                    if isinstance(step.node, (ast.For, ast.AsyncFor)):
                        _record_loop(recorder, scope, step, step.node)


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
        if not _trains_itself(scope, step, node) or _takes_apart_batch(recorder, scope, step):
            return
    recorder.repeated_loaders |= {
        index for index in loaders if is_loader_reused(recorder, index, scope, step, node.iter)
    }
    if loaders and _only_hands_on(scope, node):
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
        role="train"
        if _is_training_loop(scope, node)
        else "eval"
        if _is_evaluation_loop(node, scope) or _is_without_gradients(scope, step)
        else "",
        repeats=is_repeated(recorder, scope, step),
    )
    if before is not None:
        recorder.loops[before] = loop
        return
    recorder.loop_indices[id(node)] = len(recorder.loops)
    recorder.loops.append(loop)


def _only_hands_on(scope: CodeScope, node: BatchLoop) -> bool:
    """``for batch in loader: yield batch``: whoever iterates that has the loop."""
    steps = steps_in_loop(scope, node)
    yields = any(isinstance(one.node, ast.Yield) for one in steps)
    return yields and not any(
        isinstance(one.node, ast.Call)
        and (is_device_copy(one.node) or last_name(one.node.func) == "backward")
        for one in steps
    )


def _record_next_loops(recorder: EventRecorder, scope: CodeScope, names: Sequence[str]) -> None:
    """``while True: batch = next(it)`` is a loop over batches too, by what takes batches."""
    for name in names:
        for step in scope.find_calls(name):
            node = step.node
            if not isinstance(node, ast.Call) or not step.context.loops or step.context.inner:
                continue
            around = step.context.loops[-1]
            loaders = _requested_loaders(recorder, scope, node)
            trains = bool(loaders) or (name == "next" and _makes_steps(scope, around))
            if not trains or id(around) in recorder.loop_indices or step.context.handler:
                continue
            if _only_hands_on(scope, around):
                continue
            again = _restarted_loaders(recorder, scope, node, around, loaders)
            recorder.repeated_loaders |= again
            recorder.loop_indices[id(around)] = len(recorder.loops)
            recorder.loops.append(
                Loop(
                    at=node_location(scope.module, around),
                    function=scope.name,
                    loaders=tuple(sorted(loaders)),
                    role="train" if _is_training_loop(scope, around) else "",
                    repeats=bool(again),
                )
            )


def _restarted_loaders(
    recorder: EventRecorder,
    scope: CodeScope,
    node: ast.Call,
    outer_loop: LoopNode,
    loaders: set[int],
) -> set[int]:
    """Those whose iterator, from which a call takes a batch, is made again and again."""
    found: set[int] = set()
    for made, its in _iterator_constructions(recorder, scope, node):
        step = next((one for one in its.calls if one.node is made), None)
        if step is None or not made.args:
            continue
        known = recorder.loader_flow.find_loaders(made.args[0], its)
        if outer_loop in step.context.loops:  # PDR404 where it is made for each batch
            found |= loaders & known if step.context.handler else set()
            continue
        for index in loaders & known:
            if is_loader_reused(recorder, index, its, step, made.args[0]):
                found.add(index)
    return found


def _iterator_constructions(
    recorder: EventRecorder, scope: CodeScope, node: ast.Call
) -> Iterator[tuple[ast.Call, CodeScope]]:
    """``iter(loader)`` and ``Prefetcher(loader)``, of which a call takes a batch."""
    func = node.func
    given = func.value if isinstance(func, ast.Attribute) else next(iter(node.args), None)
    if given is None:
        return
    for one in find_iter_calls(recorder, given, scope):
        yield one, scope
    evaluator = recorder.loader_flow.evaluator
    for value in evaluator.evaluate(given, evaluator.frame_of(scope)):
        if isinstance(value, InstanceValue) and value.call is not None and value.frame is not None:
            yield value.call, value.frame.scope


def _requested_loaders(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> set[int]:
    """The loaders of which a call takes a batch."""
    loaders = set(recorder.loader_flow.find_batches(node, scope))
    if isinstance(node.func, ast.Name) and node.func.id == "next" and node.args:
        for one in find_iter_calls(recorder, node.args[0], scope):
            loaders |= recorder.loader_flow.find_loaders(one.args[0], scope)
    return loaders


def is_named_like_loader(node: ast.expr) -> bool:
    """Is it called as loaders are called, or taken from what is called so?"""
    if isinstance(node, ast.Subscript):
        return last_name(node.value).lower().removesuffix("s").endswith(_LOADER_SUFFIXES)
    if isinstance(node, ast.Call):
        wraps = last_name(node.func) in _WRAPPERS
        return wraps and any(is_named_like_loader(one) for one in node.args[:1])
    name = last_name(node).lower()
    return name.endswith(_LOADER_SUFFIXES)


def _is_training_loop(scope: CodeScope, node: ast.AST) -> bool:
    calls = (one.node for one in steps_in_loop(scope, node) if isinstance(one.node, ast.Call))
    if any(isinstance(c.func, ast.Attribute) and c.func.attr in _TRAINING_METHODS for c in calls):
        return True
    text = scope.module.file.content
    return any(name.encode() in text for name in _TRAINING_METHODS) and any(
        one.attr in _TRAINING_METHODS for one in find_nodes(node, (ast.Attribute,))
    )


def _makes_steps(scope: CodeScope, around: LoopNode) -> bool:
    """Does each iteration go backward once, and take a step of an optimizer?"""
    own = [
        last_name(step.node.func)
        for step in steps_in_loop(scope, around)
        if isinstance(step.node, ast.Call)
        and step.context.loops[-1] is around
        and not step.context.inner
    ]
    return "backward" in own and any("step" in name for name in own)


def _trains_itself(scope: CodeScope, step: CodeStep, node: ast.For | ast.AsyncFor) -> bool:
    """
    Does each iteration make one training step, whatever it is that is iterated?

    Iterations over a range, or called epochs, are as likely to be epochs of one batch;
    not so over a range in strides: ``range(0, len(rows), batch_size)``, in a loop over
    epochs, or where the iterations are called steps.
    """
    if not _makes_steps(scope, node):
        return False
    header = f"{unparse_short(node.target)} {unparse_short(node.iter)}".lower()
    if _takes_strides(node.iter) or not ("range(" in header or "epoch" in header):
        return True
    outer = (one.target for one in step.context.loops if isinstance(one, ast.For))
    inside = any("epoch" in unparse_short(one).lower() for one in outer)
    target = unparse_short(node.target).lower()
    return "epoch" not in header and (inside or any(word in target for word in _STEP_WORDS))


def _takes_strides(node: ast.expr) -> bool:
    """``range(0, len(rows), batch_size)``: batches are cut from what is in memory."""
    if not isinstance(node, ast.Call) or last_name(node.func) != "range":
        return False
    return len(node.args) == 3 and not isinstance(node.args[2], (ast.Constant, ast.UnaryOp))  # noqa: PLR2004


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


def find_iter_calls(
    recorder: EventRecorder, node: ast.expr, scope: CodeScope
) -> Iterator[ast.Call]:
    """The ``iter(loader)`` behind an expression, made outside of this loop."""
    values: list[ast.expr] = [node]
    key = binding_key(node)
    if key:
        values = [value for value, _ in recorder.values.find_assignments(key, scope)]
    for value in values:
        if isinstance(value, ast.Call) and last_name(value.func) == "iter":
            if value.args and recorder.loader_flow.find_loaders(value.args[0], scope):
                yield value


def steps_in_loop(scope: CodeScope, node: ast.AST) -> list[CodeStep]:
    """Steps whose innermost loop over batches this is."""
    return scope.steps_by_loop.get(id(node), [])
